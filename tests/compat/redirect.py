"""Plugin of pytest that redirects imports of the original libraries to the drop-ins."""

from tagpool.compat import install

install()
