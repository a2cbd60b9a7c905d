import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';

/** Signed request: its headers, body and arrival time (Unix time in ms). */
interface Signed {
  headers: IncomingHttpHeaders;
  body: Buffer;
  atMs: number;
}

interface Secret {
  text: string;
  /** Time at which the owner learned it (Unix time in ms). */
  knownMs: number;
  libraries: { verify(body: Buffer, headers: Record<string, string>): unknown }[];
}

/**
 * Records the secrets of a subscription in their order, and checks signatures. A signature without a known secret is
 * checked again after the next secret is added, because a rotation may take effect before its answer arrives.
 */
export function createSecretBook(graceMs: number) {
  const secrets: Secret[] = [];
  const faults: string[] = [];
  let unknown: Signed[] = [];

  function judge(signed: Signed) {
    const by = secrets.findLastIndex(
      ({ text }) => signed.headers['x-service-signature'] === own(text, signed),
    );
    if (by < 0) unknown.push(signed);
    else faults.push(...faultsOf(signed, by));
  }

  /**
   * Problems of a signature by secret number `by`. The first secret signs alone, later ones together with their
   * predecessor.
   */
  function faultsOf(signed: Signed, by: number): string[] {
    const expected = secrets.slice(Math.max(0, by - 1), by + 1);
    const signatures = String(signed.headers['webhook-signature']).split(' ').length;
    const successor = secrets[by + 1];
    const lateMs = successor ? signed.atMs - successor.knownMs : 0;
    return [
      ...(signatures === expected.length ? [] : [`${signatures} signatures by secret ${by}`]),
      ...(lateMs <= graceMs ? [] : [`signed by secret ${by}, ${lateMs} ms after its successor was known`]),
      ...expected.flatMap(({ libraries }) => libraries.flatMap((library) => verifyFault(library, signed))),
    ];
  }

  return {
    add(text: string) {
      const libraries = [new Webhook(text), new SvixWebhook(text)];
      secrets.push({ text, knownMs: Date.now(), libraries });
      const again = unknown;
      unknown = [];
      again.forEach(judge);
    },
    judge,
    /** Returns all problems, including signatures by unknown secrets. */
    faults: () => [...faults, ...unknown.map(() => 'signed by no secret of this subscription')],
    rotations: () => secrets.length - 1,
  };
}

export type SecretBook = ReturnType<typeof createSecretBook>;

const own = (secret: string, { body }: Signed) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function verifyFault(library: Secret['libraries'][number], { headers, body }: Signed): string[] {
  try {
    library.verify(body, plain(headers));
    return [];
  } catch (error) {
    return [`${library.constructor.name}: ${error}`];
  }
}

const plain = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
