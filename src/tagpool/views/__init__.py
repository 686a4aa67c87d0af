"""Views: sentences, explanations and plots as fragments of HTML, for reports, notebooks and the page of the server."""
