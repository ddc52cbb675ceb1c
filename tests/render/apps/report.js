// Tells the server of a click that would do harm. The count has to hold even if the page under test is closed at once,
// or if its requests are blocked or faked, so each click takes three ways and the server joins them by the click's id:
// - a synchronous request: the click's handler goes on only after the server has noted it;
// - a cookie, which every later request of the same browser carries. It is named by port, as cookies are shared by ports;
// - an image, for a page whose XMLHttpRequest was replaced.
// window.destructiveClicks is for whoever stands in the page.
(() => {
  const Request = window.XMLHttpRequest;
  const Picture = window.Image;
  const clicks = (window.destructiveClicks = []);
  const jar = `danger-${location.port}`;

  const noted = () => document.cookie.match(`(?:^|; )${jar}=([^;]*)`)?.[1] ?? "";

  window.reportDanger = (what) => {
    const id = `${what}.${Math.random().toString(36).slice(2, 10)}`;
    const url = `${location.origin}/api/clicked?id=${id}`;
    clicks.push(what);
    document.cookie = `${jar}=${noted() && `${noted()}~`}${id}; path=/`;
    try {
      const request = new Request();
      request.open("GET", url, false);
      request.send();
    } catch {
      // Blocked: the other two remain.
    }
    new Picture().src = url;
  };
})();
