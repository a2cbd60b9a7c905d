import { isObject } from './is-object.ts';

/** Headers as a fetch `Headers` or as Node's object, with names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /**
   * Maximum difference between the signed timestamp of a delivery and the current time, in seconds; default: 300. It limits
   * how long an intercepted delivery can be sent again.
   */
  toleranceSeconds?: number | undefined;
  /**
   * Requires a signed timestamp. `X-Service-Signature` covers only the body, so an attacker who repeats a delivery could
   * omit the timestamp's headers. Set it if a repetition would do harm. The service always sends these headers; the default
   * is false because its contract guarantees only `X-Service-Signature`.
   */
  requireTimestamp?: boolean | undefined;
}

/** A signed event of any type; `unwrapWebhook` checks the type. */
export interface SignedEvent {
  event: string;
  timestamp: Date;
  data: Record<string, unknown>;
}

/** Reason why a delivery is not accepted. With `unknown_event` it is genuine, but its event is newer than this package. */
export type WebhookRefusal =
  | 'missing_signature'
  | 'malformed_signature'
  | 'signature_mismatch'
  | 'missing_timestamp'
  | 'timestamp_out_of_tolerance'
  | 'malformed_body'
  | 'unknown_event';

/**
 * Thrown for a delivery that must not be trusted: answer it with 400. With `unknown_event` the delivery is genuine, but
 * newer than this package: answer it with 2xx.
 */
export class WebhookError extends Error {
  override readonly name: string = 'WebhookError';
  readonly refusal: WebhookRefusal;

  constructor(refusal: WebhookRefusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/**
 * Verifies the signature of a delivery and returns its event. Throws a `WebhookError` if the delivery must not be trusted.
 * `unwrapWebhook` also checks the event's name and types its data.
 *
 * `rawBody` is the unchanged body: parsing and serializing it would break the signature. `secret` is the subscription's, or
 * the new and the old one during a rotation. Signatures are compared in constant time.
 *
 * An event may be delivered more than once; `X-Service-Delivery` identifies repetitions.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<SignedEvent> {
  const body = bytesOf(rawBody);
  const secrets = [secret].flat();
  await checkBody({ check: await anyOf(secrets, ownKey), headers, body });
  await checkTimestamp({ check: await anyOf(secrets, standardKey), headers, body }, options);
  return parseEvent(body);
}

/** Creates a check that accepts a signature made with any of the secrets. */
async function anyOf(secrets: readonly string[], keyOf: (secret: string) => Bytes): Promise<CheckSignature> {
  if (secrets.length === 0) throw new TypeError("the subscription's secret is missing");
  const checks = await Promise.all(secrets.map((secret) => signatureCheck(keyOf(secret))));
  return async (signature, signed) => {
    const fits = await Promise.all(checks.map((check) => check(signature, signed)));
    return fits.includes(true);
  };
}

interface Delivery {
  check: CheckSignature;
  headers: WebhookHeaders;
  body: Bytes;
}

/** Checks the signature of the body, which every delivery has. */
async function checkBody({ check, headers, body }: Delivery) {
  const given = header(headers, 'x-service-signature');
  if (given === undefined) throw new WebhookError('missing_signature', 'X-Service-Signature is missing');
  const hex = /^sha256=([0-9a-f]{64})$/.exec(given)?.[1];
  if (!hex)
    throw new WebhookError('malformed_signature', 'X-Service-Signature is not sha256=<64 hex digits>');
  if (!(await check(fromHex(hex), body)))
    throw new WebhookError(
      'signature_mismatch',
      'X-Service-Signature does not match the body and the secret',
    );
}

/** Checks the headers of Standard Webhooks, which sign the ID and the time of sending with the body. */
async function checkTimestamp(
  { check, headers, body }: Delivery,
  { toleranceSeconds = 300, requireTimestamp = false }: VerifyOptions,
) {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  if (timestamp === undefined && signatures === undefined && !requireTimestamp) return;
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookError('missing_timestamp', 'a webhook-id, -timestamp or -signature header is missing');
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...body]);
  const fits = await Promise.all(signatures.split(' ').map((text) => check(fromVersion1(text), signed)));
  if (!fits.includes(true))
    throw new WebhookError(
      'signature_mismatch',
      'webhook-signature does not match the delivery and the secret',
    );
  const secondsAway = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(secondsAway <= toleranceSeconds))
    throw new WebhookError(
      'timestamp_out_of_tolerance',
      `webhook-timestamp is not within ${toleranceSeconds} seconds of now`,
    );
}

const fromVersion1 = (signature: string) =>
  fromBase64(signature.startsWith('v1,') ? signature.slice('v1,'.length) : '');

function parseEvent(body: Bytes): SignedEvent {
  const parsed = parseJson(body);
  if (!isEvent(parsed)) throw new WebhookError('malformed_body', 'the body is not an event');
  const { event, timestamp, data } = parsed;
  return { event, timestamp: new Date(timestamp), data };
}

function parseJson(body: Bytes): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

const isEvent = (value: unknown): value is Omit<SignedEvent, 'timestamp'> & { timestamp: string } =>
  isObject(value) &&
  'event' in value &&
  typeof value.event === 'string' &&
  'timestamp' in value &&
  typeof value.timestamp === 'string' &&
  !Number.isNaN(Date.parse(value.timestamp)) &&
  'data' in value &&
  isObject(value.data);

function bytesOf(rawBody: string | Uint8Array | ArrayBuffer): Bytes {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new TypeError(
    'pass the raw body as text or bytes, not the parsed one: the signature covers the raw body',
  );
}

/** Returns a header by its lower-case name; undefined if it is missing. Repeated headers are joined, as in HTTP. */
function header(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([field]) => field.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.join(', ');
}

const isFetchHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers.get === 'function';

type Bytes = Uint8Array<ArrayBuffer>;

/** Checks that a signature is the HMAC-SHA256 of `signed`, in constant time. */
type CheckSignature = (signature: Bytes, signed: Bytes) => Promise<boolean>;

/** Creates a check by Web Crypto, which Node, browsers and edge runtimes have; its `verify` compares in constant time. */
async function signatureCheck(keyBytes: Bytes): Promise<CheckSignature> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', keyBytes, algorithm, false, ['verify']);
  return (signature, signed) => subtle.verify('HMAC', key, signature, signed);
}

/** Returns the key of `X-Service-Signature`. */
function ownKey(secret: string): Bytes {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError("the subscription's secret is missing");
  return new TextEncoder().encode(secret);
}

/**
 * Returns the key of `webhook-signature` by the rule of Standard Webhooks: the decoded bytes after `whsec_` if they are
 * canonical base64 of 24 to 64 bytes; otherwise the secret itself.
 */
function standardKey(secret: string): Bytes {
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  const key = fromBase64(encoded);
  const isKey = key.length >= 24 && key.length <= 64 && btoa(String.fromCharCode(...key)) === encoded;
  return isKey ? key : ownKey(secret);
}

const fromHex = (hex: string): Bytes =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

/** Decodes base64; returns no bytes for other text, which no signature matches. */
function fromBase64(base64: string): Bytes {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
