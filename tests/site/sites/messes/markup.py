"""Broken tags and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.sites.messes.mess import Find, messy_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site.sites.messes.mess import Mess


_NESTED_TABLES = 40


def markup_messes() -> Iterator[Mess]:
    yield from _tag_soup()
    yield from _hrefs()
    yield from _frames_and_tables()


def _tag_soup() -> Iterator[Mess]:
    yield messy_page(
        "unclosed",
        "<html><body><h1>List<ul><li><a href=/machines/lathe>Lathe<li><a href=/machines/press>"
        "<b>Press<p>and more",
        Find("/machines/lathe", anchor="Lathe"),
        Find("/machines/press"),
    )
    yield messy_page(
        "nesting",
        '<b><a href="/machines/drill"><i>Drill</b></a></i><p><div></p><a href="/machines/saw">Saw'
        '<table><tr><td><a href="/machines/plane">Plane</table></a></span></body></html></div>',
        Find("/machines/drill"),
        Find("/machines/saw"),
        Find("/machines/plane"),
    )
    yield messy_page(
        "UPPERCASE.HTM",
        "<HTML><BODY BGCOLOR=WHITE><CENTER><A TARGET=_TOP HREF=/machines/anvil>Anvil</A>"
        "<FONT SIZE=+2><A HREF='/machines/forge/'CLASS=x>Forge</A></FONT></CENTER>",
        Find("/machines/anvil", anchor="Anvil"),
        Find("/machines/forge/"),
    )
    yield messy_page(
        "bare", "no tags but one <a href=/machines/bare-link>here", Find("/machines/bare-link")
    )
    yield messy_page(
        "twice",
        '<a href="/machines/first-attribute" href="/machines/second-attribute">Which?</a>',
        Find("/machines/first-attribute"),
        never=("/machines/second-attribute",),
    )
    yield messy_page(
        "hidden",
        '<!-- <a href="/machines/commented">no</a> -->'
        "<script>document.write('<a href=\"/machines/scripted\">no</a>')</script>"
        '<textarea><a href="/machines/typed">no</a></textarea>'
        '<a name="top">no</a><a href="">self</a><a href="#">top</a>'
        '<!-- > -- --><a href="/machines/uncommented">yes</a>',
        Find("/machines/uncommented", anchor="yes"),
        never=("/machines/commented", "/machines/scripted", "/machines/typed"),
    )
    yield messy_page(
        "nul",
        'a \0 in the text\0 <p title="\0">\x0b<a href="/machines/after-nul">Next</a>',
        Find("/machines/after-nul"),
    )


def _hrefs() -> Iterator[Mess]:
    yield messy_page(
        "entities",
        '<a href="/machines/list?make=1&amp;year=2">A</a>'
        '<a href="/machines/list?id=7&copy=2">B</a>'
        '<a href="&#47;machines&#x2F;vice">C</a><a href="/machines/tom&amp;sons">D</a>',
        Find("/machines/list?make=1&year=2"),
        Find("/machines/list?copy=2&id=7"),
        Find("/machines/vice"),
        Find("/machines/tom&sons"),
    )
    yield messy_page(
        "whitespace",
        '<a href=" \n\t/machines/pump\n ">A</a><a href="/machines/\n\tvalve">B</a>'
        '<a href="/machines/steam engine">C</a><a href="\\machines\\boiler">D</a>'
        "<a\nhref\n=\n'/machines/newline'\n>E\n\n</a\n>",
        Find("/machines/pump", anchor="A"),
        Find("/machines/valve"),
        Find("/machines/steam%20engine"),
        Find("/machines/boiler"),
        Find("/machines/newline", anchor="E"),
    )
    yield messy_page(
        "based",
        '<a href="gasket">before</a><base target="_blank"><base href="/machines/base/">'
        '<base href="/wrong/"><a href="piston">after</a><a href="../crank#part-2">up</a>',
        Find("/machines/base/gasket"),
        Find("/machines/base/piston"),
        Find("/machines/crank"),
    )
    yield messy_page(
        "schemes",
        '<a href="javascript:go(1)">A</a><a href="mailto:shop@mill.example">B</a>'
        '<a href="tel:+43123">C</a><a href="data:text/html,x">D</a><a href="#e">E</a>'
        '<a href="HTTP://127.0.0.1:1/">F</a><a href="//elsewhere.example/x">G</a>'
        '<a href="http://[broken/">H</a><a href="/machines/honest">I</a>',
        Find("/machines/honest"),
    )


def _frames_and_tables() -> Iterator[Mess]:
    yield messy_page(
        "frames",
        '<html><head><title>Frames</title></head><frameset cols="20%,*">'
        '<frame src="/machines/frame-left"><frame src="/machines/frame-right" name=main>'
        "</frameset></html>",
        Find("/machines/frame-left", "iframe"),
        Find("/machines/frame-right", "iframe"),
    )
    yield messy_page(
        "iframe",
        '<iframe src="/machines/framed" width=1></iframe>',
        Find("/machines/framed", "iframe"),
    )
    tables = "<table><tr><td>" * _NESTED_TABLES
    yield messy_page(
        "tables",
        f'{tables}<a href="/machines/innermost">In</a>{"</table>" * _NESTED_TABLES}'
        '<div id=menu><a href="/machines/by-id">Menu</a></div>',
        Find("/machines/innermost"),
        Find("/machines/by-id", region="navigation"),
    )
    yield messy_page(
        "image-map",
        '<img usemap="#m" src=x.gif><map name=m><area shape=rect alt="Left" coords=0,0,9,9 '
        "href=/machines/left><AREA HREF=/machines/right></map>",
        Find("/machines/left", "area", anchor="Left"),
        Find("/machines/right", "area"),
    )
    yield messy_page(
        "forms",
        '<form action="/machines/find"><input name=q></form>'
        '<form action="/machines/order" method=POST><input name=n></form>',
        Find("/machines/find", "form"),
        never=("/machines/order",),
    )
