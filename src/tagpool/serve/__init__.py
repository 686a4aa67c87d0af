"""HTTP server: the JSON interface and the page. Starlette and uvicorn (tagpool[serve]) are imported only here."""
