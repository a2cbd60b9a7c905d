// Runs within the page before the code that the page names: to a phone that is far away each answer is a journey, and that of a
// list goes on beside the code's. A script and no module, since those wait for the styles.

/** By collection, what it has to know; the build puts them before this. */
declare const firstLists: typeof import('./kinds/list/first-lists.ts').firstLists;

type FirstList = (typeof firstLists)[string];

(() => {
  // A page that the browser has kept may name code from before an update, which is gone; one that is loaded anew never is.
  window.addEventListener(
    'error',
    ({ target }) => {
      const isOfPage = target instanceof HTMLScriptElement || target instanceof HTMLLinkElement;
      const [page] = performance.getEntriesByType('navigation');
      const isKept = page instanceof PerformanceNavigationTiming && page.transferSize === 0;
      if (isOfPage && isKept && document.readyState !== 'complete') location.reload();
    },
    { capture: true },
  );

  const [, collection = ''] = /^\/studio\/(\w+)$/.exec(location.pathname + location.search) ?? [];
  const list = Object.hasOwn(firstLists, collection) && firstLists[collection];
  const token = readToken();
  if (!list || !token) return;
  const input = encodeURIComponent(JSON.stringify(list.input));
  const url = `${location.origin}/trpc/studio.${collection}.list?input=${input}`;
  const authorization = `Bearer ${token}`;
  const answer = fetch(url, { headers: { authorization } }).catch(() => null);
  globalThis.earlyRequest = { url, authorization, answer };
  void drawWhereSlow(list, answer).catch(() => undefined);

  function readToken(): string | undefined {
    try {
      return JSON.parse(sessionStorage.getItem('studio:session') ?? '{}').token;
    } catch {
      // The storage may be forbidden.
      return undefined;
    }
  }

  /** Shows what records there are where the code takes long: on most ways it is there by then. */
  async function drawWhereSlow({ heading, lead, title }: FirstList, answer: Promise<Response | null>) {
    await new Promise((done) => setTimeout(done, 1_500 - performance.now()));
    const answered: { result: { data: { json: { items: Record<string, string>[] } } } } = await (await answer)
      ?.clone()
      .json();
    const drawn = document.createElement('main');
    drawn.className = 'early';
    drawn.ariaBusy = 'true';
    drawn.append(element('h1', heading), element('p', lead), element('ul', ''));
    drawn.lastElementChild?.append(
      ...answered.result.data.json.items.map((record) => element('li', record[title] ?? '')),
    );
    // The browser keeps pages for Back, and the code that covers what they showed may not have come.
    window.addEventListener('pagehide', () => drawn.remove());
    const place = document.getElementById('studio');
    if (!place?.hasChildNodes()) place?.append(drawn);
  }

  function element(name: string, text: string) {
    return Object.assign(document.createElement(name), { textContent: text });
  }
})();
