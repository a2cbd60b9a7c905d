import { connect, type Socket } from 'node:net';

/** Spellings of a path that proxies and servers are known to interpret differently. */

const question = '?domain=sites.example.com';
const plain = '/internal/domain';

const hex = (character: string) => character.charCodeAt(0).toString(16);
const encoded = (character: string) => `%${hex(character)}`;

/** Paths with one letter percent-encoded, once and twice. */
const letters = Array.from(plain, (letter, at) => [at, letter] as const).flatMap(([at, letter]) => {
  const [before, after] = [plain.slice(0, at), plain.slice(at + 1)];
  return [`${before}${encoded(letter)}${after}`, `${before}%25${hex(letter)}${after}`];
});

const encodedWhole = `${Array.from('internal', encoded).join('')}/${Array.from('domain', encoded).join('')}`;

const whole = [
  [...plain].map(encoded).join(''),
  [...plain].map((letter) => encoded(letter).toUpperCase()).join(''),
  `/${[...plain.slice(1)].map(encoded).join('')}`,
  `/${[...'internal'].map(encoded).join('')}/domain`,
  `/internal/${[...'domain'].map(encoded).join('')}`,
];

/** Texts before the path, between its segments and after it. */
const befores = [
  '/',
  '/./',
  '/x/../',
  '/x/..//',
  '/%2e/',
  '/x/%2e%2e/',
  '/x/.%2E/',
  '/;/',
  '/;x=1/',
  '/%2f/',
  '/%5c/',
  '\\',
  '/\\',
  '/x\\..\\',
  '/..;/',
  '/%00/',
  '/%20/',
  '/%09/',
  '/%u002f/',
  '/%c0%af/',
  '/%ef%bc%8f/',
];
const betweens = [
  '//',
  '/./',
  '/x/../',
  '/%2e/',
  '/%2e%2e/internal/',
  '%2f',
  '%2F',
  '%5c',
  '\\',
  ';/',
  ';x=1/',
  '/;/',
  '%3b/',
  '%00/',
  '/%00',
  '%20/',
  '/%20',
  '%09/',
  '%252f',
  '%c0%af',
  '%e0%80%af',
  '%u002f',
  '/.;/',
  './/',
  '%23/',
  '%3f/',
];
const behinds = [
  '/',
  '//',
  '/.',
  '/..',
  '/x/..',
  '%2f',
  ';',
  ';x=1',
  '%00',
  '%20',
  '%09',
  '.',
  '.json',
  '%23',
  '%3f',
  '/%2e',
  '%0a',
  '%0d%0aX:%20y',
  '#x',
  '&x=1',
];

const cases = [
  '/Internal/domain',
  '/INTERNAL/DOMAIN',
  '/internal/Domain',
  '/%49nternal/domain',
  '/%69NTERNAL/domain',
  '/\u0131nternal/domain',
  '/%c4%b1nternal/domain',
  '/\u0130nternal/domain',
  '/ınternal/%64omain',
];

const paths = [
  plain,
  ...letters,
  ...whole,
  ...befores.flatMap((before) => [`${before}${encodedWhole}`, `${before}${encodedWhole.toUpperCase()}`]),
  ...befores.flatMap((before) => [`${before}internal/domain`, `${before}%69nternal/domain`]),
  ...betweens.flatMap((between) => [`/internal${between}domain`, `/%69nternal${between}domain`]),
  ...behinds.flatMap((behind) => [`${plain}${behind}`, `/%69nternal/domain${behind}`]),
  ...cases,
];

/** Request targets that some server could interpret as the internal path of proxies: more than two hundred. */
export const internalSpellings: readonly string[] = [
  ...new Set(paths.map((path) => path + question)),
  ...['http', 'https', 'HTTP'].flatMap((scheme) => [
    `${scheme}://sites.example.com${plain}${question}`,
    `${scheme}://sites.example.com/%69nternal/domain${question}`,
  ]),
  `${plain}?x=1&domain=sites.example.com`,
  `/%69nternal/domain?domain=sites.example.com#x`,
];

/** Returns a request for the target, as a client of a proxy sends it. */
export const asClient = (target: string, version = '1.1', headers = '') =>
  Buffer.from(
    `GET ${target} HTTP/${version}\r\nHost: sites.example.com\r\n${headers}Connection: close\r\n\r\n`,
    'utf8',
  );

/** Checks whether an answer reports that the domain belongs to the service. */
export const tells = (answer: string) => /^HTTP\/1\.\d 200 /.test(answer) && answer.includes('"domain"');

export function answerTo(baseUrl: string, request: Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return answerOn(connect(Number(port), hostname), request);
}

/** Sends a request and returns everything that is received until the connection ends. */
export function answerOn(socket: Socket, request: Buffer): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part) => void parts.push(part));
  socket.write(request);
  return new Promise((resolve, reject) =>
    socket.once('close', () => resolve(Buffer.concat(parts).toString('latin1'))).once('error', reject),
  );
}
