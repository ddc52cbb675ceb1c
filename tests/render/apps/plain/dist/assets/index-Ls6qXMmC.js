var e=new Set;function t(t){e.add(t)}function n(e){e!==location.pathname&&(history.pushState({path:e},``,e),r())}function r(){window.scrollTo(0,0);for(let t of e)t(location.pathname)}function i(e){e.addEventListener(`click`,e=>{if(e.defaultPrevented)return;let t=e.target.closest(`[data-go], a[href^='/']`);t&&t.dataset.native===void 0&&(e.preventDefault(),n(t.dataset.go??t.getAttribute(`href`)))}),e.addEventListener(`keydown`,e=>{let t=e.target.closest(`[role=link][data-go]`);t&&e.key===`Enter`&&n(t.dataset.go)}),window.addEventListener(`popstate`,r),r()}customElements.define(`hv-footer`,class extends HTMLElement{connectedCallback(){let e=this.attachShadow({mode:`open`});e.innerHTML=`
        <style>:host { display: block; padding: 1rem; background: #eef1f4 }</style>
        <p>Harbour &amp; Vale is made by eleven people in an old customs house.</p>
        <a href="/archive">The archive</a>`,e.querySelector(`a`).addEventListener(`click`,e=>{e.preventDefault(),n(`/archive`)})}}),customElements.define(`hv-consent`,class extends HTMLElement{connectedCallback(){let e=this.attachShadow({mode:`closed`});e.innerHTML=`
        <style>:host { display: inline-block } button { font: inherit; cursor: pointer; width: 12rem; height: 2.5rem }</style>
        <button type="button">How we use data</button>`,e.querySelector(`button`).addEventListener(`click`,()=>n(`/privacy`))}});var a=[[`/authors`,`Our authors`],[`/podcasts`,`Podcasts`]];function o(){return`
    <header class="masthead">
      <a class="brand" href="/">Harbour &amp; Vale</a>
      <ul class="sections">
        <li><a href="/culture">Culture</a></li>
        <li><a href="/science">Science</a></li>
        <li class="section" data-go="/issues">All issues</li>
      </ul>
      <div class="more">
        <button type="button" class="more-toggle" aria-haspopup="true" aria-expanded="false">More</button>
      </div>
      <span class="pin" role="link" tabindex="0" data-go="/map">Map of the coast</span>
      <a class="quiet" href="/logout" data-native data-danger="logout">Log out</a>
    </header>
    <main></main>
    <hv-footer></hv-footer>
    <hv-consent></hv-consent>`}function s(e){let t=e.querySelector(`.more`),n=e.querySelector(`.more-toggle`),r=()=>{t.querySelector(`[role=menu]`)?.remove(),n.setAttribute(`aria-expanded`,`false`)};n.addEventListener(`click`,()=>{if(n.getAttribute(`aria-expanded`)===`true`)return r();let e=a.map(([e,t])=>`<div role="menuitem" tabindex="-1" data-go="${e}">${t}</div>`);t.insertAdjacentHTML(`beforeend`,`<div role="menu">${e.join(``)}</div>`),n.setAttribute(`aria-expanded`,`true`)}),document.addEventListener(`click`,e=>{(!t.contains(e.target)||e.target.closest(`[role=menuitem]`))&&r()})}var c={id:3},l={logout:()=>{},"delete-bookmark":()=>fetch(`/api/bookmarks/${c.id}`,{method:`DELETE`}),"discard-draft":()=>fetch(`/api/drafts/12`,{method:`DELETE`}),"buy-issue":()=>fetch(`/api/buy`,{method:`POST`,body:`issue=42`}),"rate-story":()=>navigator.sendBeacon(`/api/ratings`,`story=tide&stars=5`)},u={crossword:()=>{location.href=`/crossword`},print:()=>window.open(`/print-edition`,`_blank`),letters:()=>{confirm(`Letters are not edited. Do you want to read them?`)&&n(`/letters`)},surprise:async()=>{let{path:e}=await(await fetch(`/api/surprise`)).json();setTimeout(()=>n(e),100)}};function d(e){e.addEventListener(`click`,e=>{let t=e.target.closest(`[data-danger]`)?.dataset.danger;t&&(reportDanger(t),l[t]());let n=e.target.closest(`[data-action]`)?.dataset.action;n&&u[n]()}),e.addEventListener(`submit`,e=>{e.target.matches(`.letterbox`)&&reportDanger(`subscribe`),e.target.matches(`.search`)&&(e.preventDefault(),new FormData(e.target).get(`q`)&&n(`/search`))})}var f={latest:()=>`<p>The harbour master retires after forty winters.</p>`,popular:()=>`<p>Why every boat here is painted the same green.</p>`,picks:()=>`<p>Chosen by the desk: <span class="pick" data-go="/picks/summer-reading">Summer reading</span></p>`};function p(){return{title:`Home`,html:`
      <h1>Harbour &amp; Vale</h1>
      <p>A magazine of the coast and what lies behind it.</p>
      <form class="search" action="/search"><input name="q" aria-label="Search" /><button>Search</button></form>
      <div class="tabs">
        <button type="button" data-tab="latest">Latest</button>
        <button type="button" data-tab="popular">Popular</button>
        <button type="button" data-tab="picks">Editors' picks</button>
        <div class="panel">${f.latest()}</div>
      </div>
      <div class="teasers">
        <div class="teaser" data-action="crossword"><h3>Crossword</h3><p>A new one each Friday.</p></div>
        <button type="button" data-action="print">Read the print edition</button>
        <button type="button" data-action="letters">Letters to the editor</button>
        <button type="button" data-action="surprise">Surprise me</button>
      </div>
      <div class="bookmark">
        <span>Bookmarked: The salt road</span>
        <button type="button" class="icon-button" data-danger="delete-bookmark">
          <svg class="icon icon-trash" viewBox="0 0 24 24" width="18" height="18"><path d="M4 6h16M9 6V4h6v2M6 6l1 14h10l1-14" /></svg>
        </button>
      </div>
      <form class="letterbox" method="post" action="/subscribe">
        <input name="email" type="email" aria-label="E-mail" value="reader@example.org" />
        <button>Subscribe</button>
      </form>
      <iframe src="/embed/partners.html" title="Partners" width="320" height="120"></iframe>
      <h2>Stories</h2>
      <ol class="stories"></ol>
      <div class="sentinel">Loading more stories</div>`,mount:m}}function m(e){e.querySelector(`.tabs`).addEventListener(`click`,t=>{let n=t.target.dataset.tab;n&&(e.querySelector(`.panel`).innerHTML=f[n]())});let t=1,n=e.querySelector(`.stories`),r=e.querySelector(`.sentinel`),i=new IntersectionObserver(([e])=>{e.isIntersecting&&a()});async function a(){i.unobserve(r);let e=await(await fetch(`/api/stories?page=${t++}`)).json();for(let t of e.stories){let e=document.createElement(`li`);e.className=`story`,e.dataset.go=`/stories/${t.slug}`,e.innerHTML=`<h3>${t.title}</h3><p>${t.lead}</p>`,n.append(e)}e.more?i.observe(r):r.remove()}a()}var h=(function(){let e=typeof document<`u`&&document.createElement(`link`).relList;return e&&e.supports&&e.supports(`modulepreload`)?`modulepreload`:`preload`})(),g=function(e){return`/`+e},_={},v=function(e){return e.pathname.endsWith(`.css`)},y=function(e,t,n){if(t in e)return e[t];let r=n();if(!r){e[t]=void 0;return}let i=r.then(()=>{e[t]=void 0},n=>{throw e[t]=void 0,n});return e[t]=i,i},b=function(e,t,n){let r=Promise.resolve();if(t&&t.length>0){let e,i=document.querySelector(`meta[property=csp-nonce]`),a=i?.nonce||i?.getAttribute(`nonce`);function o(e){return Promise.all(e.map(e=>Promise.resolve(e).then(e=>({status:`fulfilled`,value:e}),e=>({status:`rejected`,reason:e}))))}function s(e){return import.meta.resolve?new URL(import.meta.resolve(e)):new URL(e,import.meta.url)}r=o(t.map(t=>{t=g(t,n);let r=s(t),i=v(r);return y(_,r.href,()=>{if(e===void 0){e={all:new Set,styles:new Set};let t=document.getElementsByTagName(`link`);for(let n=t.length-1;n>=0;n--){let r=t[n];e.all.add(r.href),r.rel===`stylesheet`&&e.styles.add(r.href)}}if((i?e.styles:e.all).has(r.href))return;let t=document.createElement(`link`);if(t.rel=i?`stylesheet`:h,i||(t.as=`script`),t.crossOrigin=``,t.href=r.href,a&&t.setAttribute(`nonce`,a),document.head.appendChild(t),i)return new Promise((e,n)=>{let i=a=>{t.removeEventListener(`load`,i),t.removeEventListener(`error`,i),a.type===`error`?n(Error(`Unable to preload CSS for ${r}`)):e(a)};t.addEventListener(`load`,i),t.addEventListener(`error`,i)})})}).filter(e=>e!==void 0))}function i(e){let t=new Event(`vite:preloadError`,{cancelable:!0});if(t.payload=e,window.dispatchEvent(t),!t.defaultPrevented)throw e}return r.then(t=>{for(let e of t||[])e.status===`rejected`&&i(e.reason);return e().catch(i)})},x=(e,...t)=>({title:e,html:`<h1>${e}</h1>${t.map(e=>`<p>${e}</p>`).join(``)}`}),S=async e=>(await fetch(`/api/${e}`)).json(),C={"/":p,"/culture":()=>({title:`Culture`,html:`
      <h1>Culture</h1>
      <div role="tablist">
        <span role="tab" aria-selected="true">Everything</span>
        <span role="tab" aria-selected="false" data-go="/culture/film">Film</span>
      </div>
      <p>Forty seats, one projector, and a queue that reaches the fish market.</p>
      <div class="rate" data-danger="rate-story">Well told</div>`}),"/culture/film":()=>x(`Film`,`The cinema on the quay shows what the tide allows.`),"/science":()=>({title:`Science`,html:`
      <h1>Science</h1>
      <p>What the herring know about the moon, and how we found out.</p>
      <div class="callout">
        <p>You have an unfinished letter about this article.</p>
        <button type="button" data-danger="discard-draft">Continue</button>
      </div>`}),"/issues":async()=>({title:`All issues`,html:`
      <h1>All issues</h1>
      <div class="shelf">${(await S(`issues`)).map(e=>`
            <div class="cover" data-go="/issues/${e.number}">
              <strong>Issue ${e.number}</strong><em>${e.name}</em>
            </div>`).join(``)}</div>
      <button type="button" class="cta" data-danger="buy-issue">Buy now</button>`}),"/podcasts":()=>x(`Podcasts`,`Two voices, one microphone, plenty of gulls.`),"/privacy":()=>x(`Privacy`,`We keep what you send us, and nothing else.`),"/print-edition":()=>x(`Print edition`,`Ninety-six pages on uncoated paper.`),"/letters":()=>x(`Letters to the editor`,`Sir, I must object to your view of seaweed.`),"/map":()=>x(`Map of the coast`,`From the lighthouse to the last bus stop.`),"/crossword":()=>x(`Crossword`,`Seven across: a knot that holds (7).`),"/search":()=>x(`Search results`,`Nothing was found for these words.`),"/surprise/tide-tables":()=>x(`Tide tables`,`High water at nine and at half past nine.`),"/partners/ferry-line":()=>x(`The ferry line`,`Four crossings a day, none in a storm.`)},w=[[/^\/issues\/(\d+)$/,async([,e])=>{let t=(await S(`issues`)).find(t=>String(t.number)===e);return t&&x(`Issue ${e}: ${t.name}`,t.about)}],[/^\/stories\/([a-z-]+)$/,async([,e])=>{let t=(await Promise.all([S(`stories?page=1`),S(`stories?page=2`)])).flatMap(e=>e.stories).find(t=>t.slug===e);return t&&x(t.title,t.lead)}],[/^\/picks\/summer-reading$/,()=>x(`Summer reading`,`Nine books for a deck chair.`)],[/^\/authors(?:\/|$)/,async([],e)=>(await b(async()=>{let{authors:e}=await import(`./authors-Cl-IX-qY.js`);return{authors:e}},[])).authors(e)],[/^\/archive(?:\/|$)/,async([],e)=>(await b(async()=>{let{archive:e}=await import(`./archive-DYNNq183.js`);return{archive:e}},[])).archive(e)]];async function T(e){let t=C[e];if(t)return t();for(let[t,n]of w){let r=t.exec(e),i=r&&await n(r,e);if(i)return i}return x(`Page not found`,`This page has gone out with the tide.`)}var E=document.getElementById(`page`);E.innerHTML=o(),s(E),d(E);var D=0;t(async e=>{let t=++D,n=await T(e);if(t!==D)return;document.title=`${n.title} | Harbour & Vale`;let r=E.querySelector(`main`);r.innerHTML=n.html,n.mount?.(r)}),i(E);export{n as t};