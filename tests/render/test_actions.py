"""What may be clicked: tables of labels and markup, harmless and not."""

# ruff: noqa: RUF001 (signs and letters that look like others are what is meant here)

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.render.actions import ActionSign, Clickable, ClickQueue, hard_words, refusal
from sitecrawl.render.page_script import Candidate
from sitecrawl.render.rules.action_words import HARD_PARTS, HARD_WORDS, SOFT_PARTS, SOFT_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_HARD_LABELS = """
    Delete | delete | DELETE ACCOUNT | Yes, delete it | Remove from list | Buy now | Buy: 20 EUR
    Add to cart | Proceed to checkout | Pay with card | Place order | Log out | Logout | Log-out
    Sign out of all devices | Unsubscribe | Cancel subscription | Empty trash | 🗑 | 🗑️ All
    Löschen | Konto löschen | LÖSCHEN | Artikel entfernen | Zur Kasse | Jetzt kaufen | Abmelden
    Zahlungspflichtig bestellen | In den Warenkorb
    Supprimer | Supprimer le compte | Acheter | Ajouter au panier | Se déconnecter | DÉCONNEXION
    Eliminar | Borrar todo | Comprar ahora | Añadir al carrito | Cerrar sesión | CERRAR SESION
    Elimina | Rimuovi | Acquista ora | Aggiungi al carrello | Esci | Vai alla cassa
    Excluir conta | Apagar | Comprar | Adicionar ao carrinho | Sair | Terminar sessão
    Verwijderen | Koop nu | In winkelwagen | Uitloggen | Afrekenen
    Usuń | USUŃ KONTO | Kup teraz | Dodaj do koszyka | Wyloguj się | Zapłać
    削除 | アカウントを削除する | 購入する | カートに入れる | ログアウト
    删除 | 刪除帳號 | 立即购买 | 加入购物车 | 退出登录 | 去结算
    삭제 | 로그아웃 | Удалить | Купить | Radera | Kirjaudu ulos | Satın al | حذف
"""
_SOFT_LABELS = """
    Order | Order today | Subscribe | Send | Send message | Save | Save changes | Submit | Cancel
    Confirm | Like | Follow us | Upload file | × | ✕ | ❤ | 👍 | ★
    Senden | Speichern | Abonnieren | Envoyer | Enregistrer | S'abonner | Enviar | Guardar
    Invia | Salva | Salvar | Verzenden | Opslaan | Wyślij | Zapisz
    送信 | 保存 | 订阅 | 提交 | Отправить
"""
_HARMLESS_LABELS = """
    About us | Products | More | Next | Continue | Details | Orders | Recent orders | My orders
    Order history | Order status | Send feedback to the whole editorial team | Archive | Menu | ☰
    Payment methods | Deleted scenes | Payload | Buyers' guide | Outlogger | Reorder
    How to send a parcel abroad | Save the date: our summer party | Posts | Comments | Downloads
    Print edition | Log in | Sign up | Create account | New product | Check out our new collection
    ★ Favourites | Über uns | Bestellungen | À propos | Commandes | Acerca de | Chi siamo | Sobre
    Over ons | O nas | 会社概要 | 关于我们 | 3
"""


def _labels(table: str) -> list[str]:
    return [label.strip() for line in table.strip("\n").splitlines() for label in line.split("|")]


@pytest.mark.parametrize("label", _labels(_HARD_LABELS))
def test_a_hard_word_is_refused_wherever_it_stands(label: str) -> None:
    for clickable in (
        Clickable("div", text=label),
        Clickable("button", "button", titles=(label,)),
        Clickable("span", text=f"one two {label} three four five six"),
    ):
        found = refusal(clickable)
        assert found is not None
        assert found.sign is ActionSign.HARD_WORD


@pytest.mark.parametrize("label", _labels(_SOFT_LABELS))
def test_a_soft_word_is_refused_at_the_start_of_a_short_label(label: str) -> None:
    found = refusal(Clickable("div", text=label))
    assert found is not None
    assert found.sign is ActionSign.SOFT_WORD
    assert refusal(Clickable("div", text=f"All about the word {label}")) is None


@pytest.mark.parametrize("label", ["", *_labels(_HARMLESS_LABELS)])
def test_a_page_may_be_clicked(label: str) -> None:
    assert refusal(Clickable("div", text=label)) is None


_NAMES = {
    "delete-account": False,
    "deleteAccount": False,
    "btn btn-remove": False,
    "icon-trash": False,
    "fa-trash-can": False,
    "#icon-delete": False,
    "/img/trash.svg": False,
    "logoutButton": False,
    "add_to_cart": False,
    "checkout": False,
    "btn-danger": False,
    "undeletable": True,
    "payment-options": True,
    "buyers": True,
    "outline": True,
    "item-removed-later": True,
    "a text that tells how one may remove a stain from wool": True,
}


@pytest.mark.parametrize(("name", "is_allowed"), _NAMES.items(), ids=_NAMES)
def test_names_in_the_markup_tell_what_an_icon_does(name: str, is_allowed: bool) -> None:
    for clickable in (
        Clickable("button", "button", names=(name,)),
        Clickable("i", classes=(name,)),
    ):
        assert (refusal(clickable) is None) is is_allowed


@pytest.mark.parametrize("name", ["save", "submit", "Send"])
def test_a_soft_name_counts_only_as_the_whole_name_of_the_element(name: str) -> None:
    assert refusal(Clickable("div", names=(name,))) is not None
    assert refusal(Clickable("div", names=(f"{name}-hint",))) is None
    assert refusal(Clickable("div", classes=(name,))) is None


_HANDLERS = {
    'async () => { await fetch("/api/x", { method: "DELETE" }) }': False,
    "()=>fetch(`/x`,{method:`POST`})": False,
    "()=>api.delete('/x')": False,
    'function(){r.open("PUT","/x")}': False,
    "()=>navigator.sendBeacon(u)": False,
    "()=>form.requestSubmit()": False,
    "()=>auth.signOut()": False,
    '()=>navigate("/items")': True,
    "()=>seen.delete(id)": True,
    "()=>list.classList.remove('open')": True,
    '()=>fetch("/api/x")': True,
    "() => { openModal(); }": True,
    "function () { [native code] }": True,
}


@pytest.mark.parametrize(("source", "is_allowed"), _HANDLERS.items(), ids=_HANDLERS)
def test_a_handler_that_sends_something_is_not_run(source: str, is_allowed: bool) -> None:
    found = refusal(Clickable("button", "button", "Continue", handlers=(source,)))
    assert (found is None) is is_allowed
    assert found is None or found.sign is ActionSign.HANDLER


@pytest.mark.parametrize(
    ("clickable", "is_allowed"),
    [
        (Clickable("button", "submit", "Next"), False),
        (Clickable("button", "", "Next", in_form=True), False),
        (Clickable("button", "reset", "Next", in_form=True), False),
        (Clickable("button", "", "Next"), True),
        (Clickable("button", "button", "Next", in_form=True), True),
        (Clickable("input", "submit", titles=("Next",)), False),
        (Clickable("input", "image"), False),
        (Clickable("input", "checkbox"), False),
        (Clickable("input", "button", titles=("Next",)), True),
        (Clickable("select"), False),
        (Clickable("div", text="Next", in_form=True), True),
        (Clickable("a", text="Next", is_download=True), False),
    ],
)
def test_forms_and_downloads_are_left_alone(clickable: Clickable, is_allowed: bool) -> None:
    found = refusal(clickable)
    assert (found is None) is is_allowed
    assert found is None or found.sign in {ActionSign.FORM, ActionSign.DOWNLOAD}


def _entries(*tables: dict[str, str]) -> list[str]:
    texts = chain.from_iterable(table.values() for table in tables)
    return [entry.strip() for text in texts for entry in text.split(";")]


def test_every_word_of_the_tables_is_refused() -> None:
    for word in _entries(HARD_WORDS, HARD_PARTS):
        for label in (word, word.upper(), f"({word}!)"):
            found = refusal(Clickable("div", text=label))
            assert found is not None, label
            assert found.sign is ActionSign.HARD_WORD, label
    for word in _entries(SOFT_WORDS, SOFT_PARTS):
        assert refusal(Clickable("div", text=word)) is not None, word


def test_the_words_for_questions_are_folded() -> None:
    words, parts = hard_words()
    assert {"loschen", "delete", "log out"} <= set(words)
    assert "削除" in parts
    assert "" not in {*words, *parts}


@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_breaks_the_decision(text: str, name: str) -> None:
    clickable = Clickable("div", text=text, names=(name,), classes=(name,), handlers=(name,))
    assert refusal(clickable) == refusal(clickable)


def _candidate(label: str, kind: str = "") -> Candidate:
    return Candidate(0, f"body > {label}", kind or label, Clickable("p", text=label))


def _rows(kind: str, count: int) -> list[Candidate]:
    return [_candidate(f"{kind}{number}", kind) for number in range(count)]


def _taken(queue: ClickQueue, urls: str = "") -> Iterator[str]:
    while candidate := queue.take():
        yield candidate.label
        queue.conclude(candidate, [urls.format(candidate.label)] if urls else [])


def test_document_order_with_the_rest_of_what_is_alike_at_the_end() -> None:
    queue = ClickQueue(max_alike=100)
    queue.add([*_rows("a", 5), _candidate("about"), *_rows("b", 4)])

    assert list(_taken(queue)) == ["a0", "a1", "a2", "about", "b0", "b1", "b2", "a3", "a4", "b3"]
    assert queue.left_out == 0


def test_what_is_revealed_comes_at_once_and_in_its_order() -> None:
    queue = ClickQueue(max_alike=100)
    queue.add([_candidate("menu"), _candidate("about")])
    menu = queue.take()
    assert menu is not None
    queue.add(_rows("item", 4), revealer=menu)

    assert list(_taken(queue)) == ["item0", "item1", "item2", "item3", "about"]


def test_rows_that_lead_to_pages_of_one_sort_are_sampled() -> None:
    queue = ClickQueue(max_alike=4)
    queue.add(_rows("row", 50))

    assert len(list(_taken(queue, "https://a.example/items/{}"))) == 4
    assert queue.left_out == 46


def test_rows_that_lead_nowhere_are_given_up() -> None:
    queue = ClickQueue(max_alike=4)
    queue.add(_rows("row", 50))

    assert len(list(_taken(queue))) == 4


def test_items_of_a_menu_that_lead_to_pages_of_many_sorts_are_all_clicked() -> None:
    names = ["about", "team", "jobs", "press", "contact", "imprint"]
    queue = ClickQueue(max_alike=2)
    queue.add(_candidate(name, "item") for name in names)

    assert sorted(_taken(queue, "https://a.example/en/{}")) == sorted(names)


def test_nothing_comes_twice() -> None:
    queue = ClickQueue(max_alike=100)
    queue.add([_candidate("about"), _candidate("about")])
    queue.add([_candidate("about")])

    assert list(_taken(queue)) == ["about"]


def test_actions_are_kept_with_their_reason() -> None:
    queue = ClickQueue(max_alike=100)
    queue.add([_candidate("Delete"), _candidate("about")])

    assert list(_taken(queue)) == ["about"]
    [refused] = queue.refused
    assert (refused.label, refused.path, refused.refusal.rule) == (
        "Delete",
        "body > Delete",
        "delete",
    )


def test_what_was_lost_comes_again_with_what_revealed_it() -> None:
    menu, item, about = map(_candidate, ("menu", "item", "about"))
    queue = ClickQueue(max_alike=100)
    queue.add([menu, about])
    queue.take()
    queue.add([item], revealer=menu)
    assert list(_taken(queue)) == ["item", "about"]
    assert not queue.has_lost

    queue.lose(item)
    assert queue.has_lost
    queue.retry()
    assert not queue.has_lost
    queue.add([menu, about])

    assert list(_taken(queue)) == ["menu"]
    queue.add([item], revealer=menu)
    assert list(_taken(queue)) == ["item"]
