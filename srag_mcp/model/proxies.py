"""Proxies between us and a model: those of the environment, but none to this machine."""

import os
from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

_SPARED = ("no_proxy", "NO_PROXY")


def find_proxy(url: str) -> str | None:
    """Return the proxy that the environment has for *url*, as other programs would find it.

    A server on this machine is asked directly: a proxy elsewhere knows nothing of it, and what is
    sent there is not meant to leave the machine.
    """
    address = urlsplit(url)
    host = address.hostname or ""
    if not host or is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(address.scheme)


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine: `"localhost"`, `"127.0.0.1"`, `"::1"`."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def spare_loopback(url: str) -> None:
    """Let the libraries of this process, too, ask a server on this machine without a proxy."""
    host = urlsplit(url).hostname or ""
    if not is_loopback(host):
        return
    spared = next((os.environ[name] for name in _SPARED if os.environ.get(name)), "")
    if host not in spared.split(","):
        for name in _SPARED:
            os.environ[name] = f"{spared},{host}".lstrip(",")


def describe_proxy(proxy: str | None) -> str:
    """Name a proxy without its password: `"http://me:secret@box:3128" -> " through the proxy …"`.

    Empty where there is none.
    """
    if proxy is None:
        return ""
    address = urlsplit(proxy)
    shown = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()
    return f" through the proxy {shown} of the environment"
