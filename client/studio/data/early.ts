/** What `../early.ts` has asked for while this code was on the way. */
interface EarlyRequest {
  url: string;
  authorization: string;
  /** Null when it got lost. */
  answer: Promise<Response | null>;
}

declare global {
  var earlyRequest: EarlyRequest | undefined;
}

/** `send`, or the answer to the very request that the page has sent by itself, which is taken once. */
export const earlyFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    const early = globalThis.earlyRequest;
    const isSame =
      early?.url === String(url) && early.authorization === new Headers(init?.headers).get('authorization');
    if (!isSame) return send(url, init);
    globalThis.earlyRequest = undefined;
    return (await early.answer) ?? send(url, init);
  };
