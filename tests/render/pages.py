"""Pages as servers send them, of many kinds, with what is to be said about each."""

from __future__ import annotations

from typing import NamedTuple

from sitecrawl.render.need import Verdict

YES, MAYBE, NO = Verdict.YES, Verdict.MAYBE, Verdict.NO
HTML = "text/html; charset=utf-8"

_SENTENCE = "Our workshop repairs lamps, clocks and radios of every age for people nearby. "
_GTM = (
    "<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),"
    "event:'gtm.js'});})(window,document,'script','dataLayer','GTM-ABC');</script>"
)
_GTM_FRAME = (
    '<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-ABC" height="0">'
    "</iframe></noscript>"
)
_ASK = "<noscript>You need to enable JavaScript to run this app.</noscript>"


class Sent(NamedTuple):
    name: str
    verdict: Verdict
    body: str
    content_type: str = HTML


def text(characters: int) -> str:
    return f"<p>{(_SENTENCE * (characters // len(_SENTENCE) + 1))[:characters].strip()}</p>"


def links(number: int) -> str:
    return "".join(f'<li><a href="/topic/{each}">Topic {each}</a></li>' for each in range(number))


def page(body: str, head: str = "", *, on_body: str = "", on_html: str = ' lang="en"') -> str:
    return (
        f'<!doctype html><html{on_html}><head><meta charset="utf-8"><title>Acme</title>{head}'
        f"</head><body{on_body}>{body}</body></html>"
    )


def module(address: str) -> str:
    return f'<script type="module" crossorigin src="{address}"></script>'


def script(address: str) -> str:
    return f'<script defer="defer" src="{address}"></script>'


_NEXT_SCRIPTS = script("/_next/static/chunks/main-9f8e7d6c5b4a.js") + script(
    "/_next/static/chunks/pages/_app-12ab34cd56ef.js"
)
_NEXT_DATA = '<script id="__NEXT_DATA__" type="application/json">{"props":{},"page":"/"}</script>'
_WORDPRESS = (
    "<script src='/wp-includes/js/jquery/jquery.min.js?ver=3.7.1'></script>"
    "<script src='/wp-content/themes/x/bundle.js?ver=1.2'></script>"
)

APPLICATIONS = [
    Sent(
        "Create React App",
        YES,
        page(_ASK + '<div id="root"></div>', script("/static/js/main.4f3a2b1c.js")),
    ),
    Sent("Vite", YES, page('<div id="root"></div>' + module("/assets/index-BkX4_9aZ.js"))),
    Sent(
        "Vite while developing",
        YES,
        page('\n<div id="app"></div>\n' + module("/src/main.ts"), module("/@vite/client")),
    ),
    Sent(
        "Vue CLI",
        YES,
        page(
            "<noscript><strong>We're sorry but shop doesn't work properly without JavaScript "
            "enabled. Please enable it to continue.</strong></noscript><div id=app></div>"
            "<!-- built files will be auto injected -->",
            script("/js/chunk-vendors.5d2e1f00.js") + script("/js/app.aa11bb22.js"),
        ),
    ),
    Sent(
        "Vue with a spinner",
        YES,
        page(
            '<div id="app"><div class="spinner"><span>Loading…</span></div></div>'
            + module("/assets/index-44aa55bb.js")
        ),
    ),
    Sent(
        "Next.js without content", YES, page('<div id="__next"></div>' + _NEXT_DATA, _NEXT_SCRIPTS)
    ),
    Sent(
        "Next.js with a spinner",
        YES,
        page('<div id="__next"><div class="spinner"></div></div>' + _NEXT_DATA, _NEXT_SCRIPTS),
    ),
    Sent(
        "Next.js that left a page to the browser",
        YES,
        page(
            '<template data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"></template>'
            "<script>self.__next_f=self.__next_f||[];self.__next_f.push([0])</script>",
            _NEXT_SCRIPTS,
        ),
    ),
    Sent(
        "Nuxt as a single page",
        YES,
        page(
            '<div id="__nuxt"></div><script>window.__NUXT__={};window.__NUXT__.config={}</script>'
            + module("/_nuxt/entry.1a2b3c4d.js")
        ),
    ),
    Sent(
        "Nuxt 2 as a single page",
        YES,
        page(
            '<div id="__nuxt"><style>#nuxt-loading{position:absolute}</style>'
            '<div id="nuxt-loading" aria-live="polite" role="status"><div>Loading...</div></div>'
            "</div><script>window.__NUXT__={config:{},serverRendered:!1}</script>"
            + script("/_nuxt/4f5e6d7c.js")
        ),
    ),
    Sent(
        "Angular",
        YES,
        page(
            "<app-root></app-root>"
            + module("/polyfills-FFHMD2TL.js")
            + module("/main-7QK3ZC5P.js"),
            '<base href="/">',
        ),
    ),
    Sent(
        "Angular with a spinner",
        YES,
        page(
            '<app-root><div class="loader">Loading</div></app-root>' + script("/main.1234abcd.js")
        ),
    ),
    Sent(
        "AngularJS",
        YES,
        page('<div ng-view=""></div>' + script("/js/app.js"), on_body=' ng-app="phonecat"'),
    ),
    Sent(
        "Ember",
        YES,
        page(
            script("/assets/vendor-d41d8cd98f00b204.js") + script("/assets/shop-0cc175b9c0f1b6.js"),
            '<meta name="shop/config/environment" content="%7B%22modulePrefix%22%3A%22shop%22%7D">',
        ),
    ),
    Sent(
        "SvelteKit as a single page",
        YES,
        page(
            '<div style="display: contents"><script>{__sveltekit_1a2b = {base: ""};Promise.all('
            '[import("/_app/immutable/entry/start.Bx1.js")])}</script></div>',
            '<link rel="modulepreload" href="/_app/immutable/entry/start.Bx1.js">',
        ),
    ),
    Sent(
        "Gatsby without content",
        YES,
        page('<div id="___gatsby"></div>' + script("/app-5f6e7d8c9b0a1f2e.js")),
    ),
    Sent(
        "Blazor",
        YES,
        page(
            '<div id="app"><svg class="loading-progress"><circle r="40%"/></svg></div>'
            '<div id="blazor-error-ui">An unhandled error has occurred. <a href="." '
            'class="reload">Reload</a></div>' + script("_framework/blazor.webassembly.js")
        ),
    ),
    Sent("Flutter", YES, page('<script src="flutter_bootstrap.js" async></script>')),
    Sent(
        "Flutter, older",
        YES,
        page(
            "<script>window.addEventListener('load', function(ev) {_flutter.loader.load();});"
            "</script>",
            '<script src="flutter.js" defer></script>',
        ),
    ),
    Sent(
        "Elm",
        YES,
        page(
            "<main></main><script>var app = Elm.Main.init({flags: {}});</script>", script("/elm.js")
        ),
    ),
    Sent(
        "a component as the whole body",
        YES,
        page("\n<shop-front theme=dark></shop-front>\n", module("/src/shop-front.js")),
    ),
    Sent(
        "Rust in the browser",
        YES,
        page(
            "",
            '<script type="module">import init from "/a.js";'
            'init("/shop_bg.wasm")</script><link rel="preload" href="/shop_bg.wasm">',
        ),
    ),
    Sent(
        "Meteor",
        YES,
        page(
            "<script>__meteor_runtime_config__ = JSON.parse(decodeURIComponent('%7B%7D'))</script>"
            + script("/a1b2c3d4e5f60718293a.js")
        ),
    ),
    Sent(
        "Google Web Toolkit",
        YES,
        page(
            "<noscript>Your web browser must have JavaScript enabled.</noscript>",
            '<script src="mail/mail.nocache.js"></script>',
        ),
    ),
    Sent(
        "micro front ends",
        YES,
        page(
            '<div id="single-spa-application:@acme/nav"></div><script>System.import("@acme/root")'
            "</script>",
            '<script type="systemjs-importmap">{"imports":{}}</script>',
        ),
    ),
    Sent(
        "a script that fills everything",
        YES,
        page(
            '<main><header id="top"></header><section id="list"><i class="spin"></i></section>'
            "</main>",
            script("main.js"),
        ),
    ),
    Sent(
        "buttons in place of links",
        YES,
        page(
            "<nav><button>Home</button><button>Menu</button><button>Contact</button></nav>"
            "<h1>The Blue Lantern</h1><p>Open every evening from six.</p>",
            script("index.bundle.js"),
        ),
    ),
    Sent(
        "asked in German",
        YES,
        page(
            "<noscript>Bitte aktivieren Sie JavaScript, um fortzufahren.</noscript>"
            + script("/bundle.js")
        ),
    ),
    Sent(
        "asked in Japanese",
        YES,
        page(
            "<noscript><p>このサイトはJavaScriptを有効にしてください。</p></noscript>"
            + script("/bundle.js")
        ),
    ),
    Sent(
        "asked in Korean",
        YES,
        page("<noscript>자바스크립트를 켜 주세요.</noscript>" + script("/js/app.js") + text(60)),
    ),
    Sent(
        "an old page in capitals",
        YES,
        '<HTML><HEAD><SCRIPT SRC="/bundle.js"></SCRIPT></HEAD><BODY><DIV ID="root"></DIV></BODY>'
        "</HTML>",
    ),
]

BETWEEN = [
    Sent(
        "an application inside of a full page",
        MAYBE,
        page(f'<ul>{links(40)}</ul>{text(3000)}<div id="app"></div>' + module("/packs/app.js")),
    ),
    Sent(
        "parts that htmx loads",
        MAYBE,
        page(
            '<h1>News</h1><div hx-get="/latest" hx-trigger="load"></div><a href="/">Home</a>'
            + text(100),
            script("https://cdn.example/htmx.min.js"),
        ),
    ),
    Sent(
        "parts that Hotwire loads",
        MAYBE,
        page(
            '<turbo-frame id="inbox" src="/inbox"></turbo-frame><a href="/">Home</a>' + text(120),
            script("/assets/turbo.js"),
        ),
    ),
    Sent(
        "AngularJS with its templates",
        MAYBE,
        page(
            f"<ul>{links(6)}</ul><p>{{{{ item.name }}}}</p>{text(350)}" + script("/js/app.js"),
            on_html=' ng-app="shop"',
        ),
    ),
    Sent(
        "a page of buttons",
        MAYBE,
        page(f"<button>Orders</button><button>Bills</button>{text(700)}" + script("/bundle.js")),
    ),
    Sent(
        "a gallery that Next.js rendered",
        MAYBE,
        page(
            f'<div id="__next"><h1>Gallery</h1>{"<img src=/a.png>" * 30}{links(3)}</div>'
            + _NEXT_DATA,
            _NEXT_SCRIPTS,
        ),
    ),
    Sent(
        "soon to come",
        MAYBE,
        page("<h1>Coming soon</h1><p id=days></p>" + text(120) + script("/js/countdown.js")),
    ),
]

DOCUMENTS = [
    Sent(
        "Next.js with content",
        NO,
        page(
            f'<div id="__next"><nav><ul>{links(8)}</ul></nav>{text(500)}</div>{_NEXT_DATA}',
            _NEXT_SCRIPTS,
        ),
    ),
    Sent(
        "Next.js exported",
        NO,
        page(f'<div id="__next">{text(2500)}<ul>{links(14)}</ul></div>{_NEXT_DATA}', _NEXT_SCRIPTS),
    ),
    Sent(
        "Next.js that streams",
        NO,
        page(
            f"<main>{text(400)}<ul>{links(5)}</ul></main>"
            '<script>self.__next_f.push([1,"a"])</script>',
            _NEXT_SCRIPTS,
        ),
    ),
    Sent(
        "Nuxt with content",
        NO,
        page(
            f'<div id="__nuxt"><header><ul>{links(9)}</ul></header>{text(800)}</div>'
            '<script type="application/json" id="__NUXT_DATA__" data-ssr="true">[]</script>'
            + module("/_nuxt/entry.1a2b3c4d.js")
        ),
    ),
    Sent(
        "Angular with content",
        NO,
        page(
            f'<app-root ng-version="19.0.0" ng-server-context="ssg"><ul>{links(12)}</ul>'
            f"{text(900)}</app-root>" + module("/main-7QK3ZC5P.js")
        ),
    ),
    Sent(
        "SvelteKit with content",
        NO,
        page(
            f'<div style="display: contents"><ul>{links(11)}</ul>{text(900)}<script>'
            '{__sveltekit_1a2b = {};import("/_app/immutable/entry/start.Bx1.js")}</script></div>'
        ),
    ),
    Sent(
        "Ember with content",
        NO,
        page(
            '<script type="x/boundary" id="fastboot-body-start"></script>'
            f"<ul>{links(10)}</ul>{text(900)}" + script("/assets/vendor-d41d8cd98f00b204.js"),
            '<meta name="shop/config/environment" content="%7B%7D">',
        ),
    ),
    Sent(
        "Gatsby with content",
        NO,
        page(
            f'<div id="___gatsby"><div id="gatsby-focus-wrapper">{text(1200)}<ul>{links(10)}</ul>'
            "</div></div><script>window.pagePath='/';</script>"
            + script("/app-5f6e7d8c9b0a1f2e.js")
            + "<noscript>This app works best with JavaScript enabled.</noscript>"
        ),
    ),
    Sent(
        "Docusaurus",
        NO,
        page(
            f'<div id="__docusaurus"><nav><ul>{links(24)}</ul></nav>{text(1400)}</div>',
            script("/assets/js/runtime~main.1a2b3c4d.js"),
        ),
    ),
    Sent(
        "Remix",
        NO,
        page(
            f"<ul>{links(6)}</ul>{text(600)}<script>window.__remixContext = {{}};</script>"
            + module("/build/manifest-1A2B3C4D.js")
        ),
    ),
    Sent(
        "Astro with an island",
        NO,
        page(
            f'<ul>{links(7)}</ul>{text(700)}<astro-island client="load"></astro-island>'
            + module("/_astro/hoisted.1a2b3c4d.js")
        ),
    ),
    Sent(
        "Blazor with content",
        NO,
        page(
            f'<!--Blazor:{{"type":"server"}}--><ul>{links(12)}</ul>{text(700)}'
            + script("_framework/blazor.server.js")
        ),
    ),
    Sent("WordPress", NO, page(f"<ul>{links(35)}</ul>{text(4000)}", _WORDPRESS + _GTM)),
    Sent("a short post of WordPress", NO, page(f"<ul>{links(18)}</ul>{text(300)}", _WORDPRESS)),
    Sent("plain HTML", NO, page(f"<h1>About</h1>{text(2000)}<ul>{links(12)}</ul>")),
    Sent("an article without links", NO, page(text(9000), script("/js/jquery.min.js"))),
    Sent(
        "moved",
        NO,
        "<html><head><title>301 Moved Permanently</title></head><body><center><h1>301 Moved "
        '</h1></center><hr><a href="https://www.acme.example/">here</a></body></html>',
    ),
    Sent("not found", NO, "<html><title>404</title><h1>Not Found</h1><hr>nginx</html>"),
    Sent("an index of files", NO, page(f"<h1>Index of /</h1><hr><pre>{links(4)}</pre>")),
    Sent(
        "a generator's page about code",
        NO,
        page(
            f'<nav>{links(9)}</nav><input type="search">{text(240)}',
            module("../static/main-1a2b3c4d.js"),
        ),
    ),
    Sent(
        "a log-in",
        NO,
        page(
            '<form action="/login" method="post"><label>Name <input name="user"></label>'
            '<label>Password <input type="password" name="password"></label><button>Log in'
            '</button></form><a href="/forgot">Forgot?</a>' + script("/js/jquery-3.6.0.min.js")
        ),
    ),
    Sent(
        "AMP",
        NO,
        page(
            text(200) + '<a href="/">Home</a><amp-img src="a.png"></amp-img>',
            '<script async src="https://cdn.ampproject.org/v0.js"></script>',
            on_html=" amp",
        ),
    ),
    Sent(
        "frames",
        NO,
        '<html><head><script src="/menu.js"></script></head><frameset cols="20%,80%">'
        '<frame src="menu.html"><frame src="start.html"></frameset></html>',
    ),
    Sent(
        "a refresh",
        NO,
        page(
            "<script>location.href='/en/'</script>",
            '<meta http-equiv="refresh" content="0; url=/en/">',
        ),
    ),
    Sent(
        "a pixel for those without scripts",
        NO,
        page(
            '<p>Thank you.</p><noscript><img src="https://t.example/javascript.gif"></noscript>',
            _GTM,
        ),
    ),
    Sent("a small page with a script", NO, page(text(200) + links(1), script("/menu.js"))),
    Sent("a small page that is watched", NO, page(_GTM_FRAME + text(120) + links(2), _GTM)),
    Sent(
        "jQuery with bundles",
        NO,
        page(
            f"<ul>{links(15)}</ul>{text(700)}",
            script("/js/jquery-3.6.0.min.js") + script("/js/vendor.bundle.min.js"),
        ),
    ),
    Sent(
        "htmx",
        NO,
        page(
            f'<ul hx-boost="true">{links(14)}</ul>{text(900)}',
            script("https://cdn.example/htmx.js"),
        ),
    ),
    Sent(
        "Hotwire",
        NO,
        page(
            f"<turbo-frame id=list><ul>{links(14)}</ul></turbo-frame>{text(800)}",
            '<script type="importmap">{"imports":{}}</script>'
            '<script type="module">import "application"</script>',
        ),
    ),
    Sent(
        "comments by Disqus",
        NO,
        page(
            f'{text(1600)}<ul>{links(12)}</ul><div id="disqus_thread"></div><noscript>Please '
            "enable JavaScript to view the comments powered by Disqus.</noscript>"
            + script("/js/disqus.js")
        ),
    ),
    Sent(
        "a check for robots",
        NO,
        page(
            "<noscript>Enable JavaScript and cookies to continue</noscript>"
            "<script>window._cf_chl_opt={cvId:'3'};</script>",
        ),
    ),
    Sent("JSON", NO, '{"app": "<div id=\\"root\\"></div>"}', "application/json"),
    Sent("XML", NO, "<?xml version='1.0'?><urlset><url/></urlset>", "application/xml"),
    Sent("text", NO, "User-agent: *\nDisallow: /app\n", "text/plain"),
    Sent("nothing", NO, ""),
    Sent(
        "markup in a script",
        NO,
        page(
            f"<ul>{links(12)}</ul>{text(700)}"
            "<script>var shell = '<div id=\"root\"></div>';</script>"
        ),
    ),
    Sent(
        "an application that was commented out",
        NO,
        page(f'<!-- <div id="root"></div> -->{text(700)}<ul>{links(4)}</ul>' + script("/a.js")),
    ),
]

PAGES = [*APPLICATIONS, *BETWEEN, *DOCUMENTS]
