"""Words of labels that do something instead of showing something, by language.

Hard words name harm, money or the end of a session; soft words are also found in the names of
pages (*order history*, *send feedback*). Phrases are written with spaces. Case, accents and what
is between the words make no difference.
"""

# ruff: noqa: RUF001 (signs and letters that look like others are what is meant here)

from __future__ import annotations

from typing import Final

HARD_WORDS: Final = {
    "en": """
        delete; deletes; remove; removes; erase; wipe; destroy; purge; discard; trash; revoke;
        terminate; deactivate; uninstall; unsubscribe; unpublish; unfriend; unfollow; buy;
        purchase; checkout; pay; pay now; place order; order now; add to cart;
        add to bag; add to basket; add to order; donate; transfer money; withdraw;
        cancel subscription; cancel order; cancel account; cancel plan; cancel membership;
        close account; reset password; factory reset; start trial; start free trial;
        log out; logout; log off; logoff; sign out; signout; sign off""",
    "de": """
        löschen; lösche; gelöscht; entfernen; entferne; vernichten; verwerfen; papierkorb; leeren;
        kündigen; deaktivieren; deinstallieren; widerrufen; stornieren; kaufen; kauf; jetzt kaufen;
        bestellen; zahlungspflichtig bestellen; bezahlen; zahlen; zur kasse; kasse;
        in den warenkorb; in den einkaufswagen; spenden; überweisen; abbestellen; abmelden;
        ausloggen; abo beenden""",
    "fr": """
        supprimer; suppression; effacer; détruire; enlever; désactiver; désinstaller;
        désabonner; se désabonner; révoquer; résilier; jeter; corbeille; acheter; payer;
        paiement; commander; passer commande; passer la commande; ajouter au panier;
        faire un don; déconnexion; déconnecter; se déconnecter""",
    "es": """
        eliminar; elimina; borrar; borra; suprimir; quitar; destruir; descartar; desactivar;
        desinstalar; papelera; dar de baja; darse de baja; comprar; compra ahora; pagar; pago;
        finalizar compra; tramitar pedido; realizar pedido; añadir al carrito;
        agregar al carrito; donar; cerrar sesión; salir de la cuenta; desconectar; desconectarse""",
    "it": """
        elimina; eliminare; cancella; cancellare; rimuovi; rimuovere; distruggi; scarta; cestino;
        disattiva; disattivare; disinstalla; revoca; disdici; disiscriviti; acquista; acquistare;
        compra; comprare; paga; pagare; pagamento; cassa; vai alla cassa; procedi all'ordine;
        aggiungi al carrello; dona; esci; disconnetti; disconnettersi""",
    "pt": """
        excluir; apagar; eliminar; remover; deletar; descartar; destruir; lixeira; lixo; desativar;
        desinstalar; revogar; comprar; compre; pagar; pagamento; finalizar compra;
        finalizar pedido; fazer pedido; adicionar ao carrinho; doar; sair; sair da conta;
        terminar sessão; encerrar sessão; desconectar""",
    "nl": """
        verwijderen; verwijder; wissen; wis; vernietigen; weggooien; prullenbak; deactiveren;
        opzeggen; intrekken; kopen; koop; koop nu; bestellen; bestel; afrekenen; betalen; betaal;
        naar de kassa; in winkelwagen; in winkelmand; doneren; uitloggen; afmelden;
        uitschrijven""",
    "pl": """
        usuń; usunąć; skasuj; kasuj; wyczyść; zniszcz; odrzuć; kosz; dezaktywuj; odinstaluj;
        wypisz się; kup; kup teraz; kupuję; zapłać; płacę; płatność; zamawiam; złóż zamówienie;
        do kasy; do koszyka; dodaj do koszyka; przekaż darowiznę; wyloguj; wyloguj się""",
    "sv": """
        radera; ta bort; avsluta konto; köp; köpa; betala; till kassan; lägg i varukorgen;
        logga ut; avregistrera""",
    "da": "slet; fjern; køb; betal; til kassen; læg i kurv; log ud; afmeld",
    "no": "slett; fjern; kjøp; betal; til kassen; legg i handlekurv; logg ut",
    "fi": "poista; osta; maksa; kassalle; lisää ostoskoriin; kirjaudu ulos",
    "cs": "smazat; odstranit; koupit; zaplatit; do košíku; objednat; odhlásit; odhlásit se",
    "tr": "sil; kaldır; satın al; öde; ödeme yap; sepete ekle; çıkış; çıkış yap; oturumu kapat",
    "ru": """
        удалить; удаление; стереть; очистить; убрать; купить; оплатить; заказать;
        оформить заказ; в корзину; отписаться; выйти; выход""",
    "uk": "видалити; купити; сплатити; замовити; до кошика; відписатися; вийти",
    "ar": "حذف; إزالة; شراء; اشتر; ادفع; الدفع; تسجيل الخروج; خروج",
    "he": "מחק; מחיקה; הסר; קנה; רכישה; תשלום; התנתק; יציאה",
}
SOFT_WORDS: Final = {
    "en": """
        order; check out; subscribe; send; submit; save; update; upload; download; publish; post;
        share; accept; agree; allow; decline; reject; approve; confirm; cancel; reset; restore;
        like; dislike; follow; vote; rate; report; block; ban; mute; install; book; reserve;
        invite; reply; comment; clear; empty; disable; enable;
        apply; stop; restart; reboot; shut down; merge; import; export; copy; move; rename;
        replace; renew; upgrade; downgrade; refund; redeem; claim; rent; bid; tip; hire; leave;
        quit; disconnect; connect; pin; unpin; favourite; favorite; mark;
        dismiss; close; undo; retry; run; execute; deploy; launch; rollback; flag; lock; unlock""",
    "de": """
        bestellung abschicken; abonnieren; senden; absenden; abschicken; speichern;
        aktualisieren; hochladen; herunterladen; veröffentlichen; teilen;
        akzeptieren; zustimmen; ablehnen; bestätigen; abbrechen; zurücksetzen; folgen; abstimmen;
        bewerten; melden; sperren; archivieren; buchen;
        reservieren; einladen; antworten; kommentieren; schließen; verschieben; ersetzen""",
    "fr": """
        commande; s'abonner; abonner; envoyer; soumettre; enregistrer; sauvegarder;
        téléverser; télécharger; publier; partager; accepter; refuser; confirmer; valider; annuler;
        réinitialiser; suivre; voter; noter; signaler; bloquer; archiver;
        réserver; inviter; répondre; commenter; vider; fermer""",
    "es": """
        pedir; suscribirse; suscribir; enviar; guardar; actualizar; subir;
        descargar; publicar; compartir; aceptar; rechazar; confirmar; cancelar; restablecer; seguir;
        votar; denunciar; bloquear; archivar; reservar;
        invitar; responder; comentar; vaciar; cerrar; anular""",
    "it": """
        ordina; iscriviti; abbonati; invia; inviare; salva; aggiorna; carica;
        scarica; pubblica; condividi; accetta; rifiuta; conferma; annulla; ripristina; segui; vota;
        segnala; blocca; archivia; prenota; invita; rispondi; commenta;
        svuota; chiudi""",
    "pt": """
        pedir; assinar; inscrever; inscrever-se; enviar; salvar; guardar;
        atualizar; carregar; baixar; publicar; compartilhar; partilhar; aceitar; recusar; rejeitar;
        confirmar; cancelar; redefinir; seguir; votar; denunciar; bloquear; arquivar;
        reservar; convidar; responder; comentar; esvaziar; fechar""",
    "nl": """
        abonneren; abonneer; verzenden; verstuur; versturen; indienen; opslaan; bewaren; bijwerken;
        uploaden; downloaden; publiceren; delen; accepteren; weigeren;
        bevestigen; annuleren; resetten; volgen; stemmen; melden; blokkeren; archiveren;
        boeken; reserveren; uitnodigen; reageren; leegmaken;
        sluiten""",
    "pl": """
        zamów; subskrybuj; wyślij; zapisz; aktualizuj; prześlij; pobierz; opublikuj;
        udostępnij; akceptuj; akceptuję; zaakceptuj; odmów; potwierdź; anuluj; resetuj; obserwuj;
        głosuj; zgłoś; zablokuj; archiwizuj; rezerwuj; zaproś;
        odpowiedz; skomentuj; opróżnij; zamknij""",
    "sv": "beställ; prenumerera; skicka; spara; avbryt; bekräfta; godkänn",
    "ru": "отправить; сохранить; подписаться; отменить; подтвердить; принять",
}
# Without spaces between words these are looked for anywhere in a text.
HARD_PARTS: Final = {
    "ja": """
        削除; 消去; 取り消; 破棄; 購入; 買う; カートに入れる; カートに追加; 注文する; 注文を確定;
        支払; お支払い; レジに進む; 解約; 退会; 配信停止; ログアウト; サインアウト""",
    "zh": """
        删除; 刪除; 移除; 清空; 销毁; 銷毀; 购买; 購買; 立即购买; 支付; 付款; 结账; 結帳; 结算;
        结帳; 下单; 下單; 提交订单; 加入购物车; 加入購物車; 退订; 退訂; 注销; 登出; 退出登录;
        取消订阅""",
    "ko": """
        삭제; 제거; 구매; 결제; 주문하기; 장바구니 담기; 장바구니에 담기; 로그아웃; 탈퇴;
        구독 취소""",
}
SOFT_PARTS: Final = {
    "ja": """
        注文; 購読; 送信; 保存; 更新; 投稿; 共有; 同意; 確認; キャンセル; 予約; 申し込む;
        閉じる""",
    "zh": """
        订阅; 訂閱; 发送; 發送; 提交; 保存; 儲存; 上传; 发布; 分享; 同意; 确认; 取消; 预订;
        关闭""",
    "ko": "주문; 구독; 보내기; 전송; 제출; 저장; 공유; 동의; 확인; 취소; 예약; 닫기",
}
# Signs that stand for a word.
HARD_SIGNS: Final = "🗑🚮"
SOFT_SIGNS: Final = "×✕✖✗✘❌⊗👍👎❤♥♡⭐★☆"
# Names in markup (classes, ids, icons, data attributes): English, whatever the site's language.
HARD_NAMES: Final = """
    delete; remove; erase; wipe; destroy; purge; discard; trash; trashcan; garbage; dustbin; bin;
    buy; purchase; checkout; pay; paypal; add to cart; addtocart; add to bag; add to basket;
    add to order; place order; donate; logout; log out; logoff; signout; sign out; unsubscribe;
    deactivate; terminate; revoke; uninstall; danger; destructive"""
SOFT_NAMES: Final = """
    submit; save; send; subscribe; cancel; confirm; reset; upload; download; like; dislike; vote;
    follow; share; close; dismiss; publish; approve; reject; order; update; accept; decline;
    clear"""
# After a soft word these make the name of a page of it.
PAGE_WORDS: Final = """
    history; status; tracking; overview; details; list; lists; guide; guides; help; faq; policy;
    policies; settings; options; center; centre; page; pages; archive; archives; calendar; club;
    reviews; review; news; blog; gallery; library; catalog; catalogue; categories; report;
    reports; board; feed; store; shop; tips; ideas; ons; ins; about; how; why; what; where; which;
    types; kinds; examples; documentation; docs"""
