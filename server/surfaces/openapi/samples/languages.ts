import type { SampleRequest } from './sample-request.ts';

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** In single quotes of a shell nothing has a meaning but the quote itself. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curl({ origin, method, path, secret, showsPreview, body, sendsFile }: SampleRequest): string {
  const isPlain = method === 'GET' || (method === 'POST' && (body !== undefined || sendsFile));
  return [
    `curl ${isPlain ? '' : `-X ${method} `}${shellQuoted(origin + path)}`,
    ...(secret ? [`-H "Authorization: Bearer $${secret}"`] : []),
    ...(showsPreview ? ['-H "X-Preview-Token: $PREVIEW_TOKEN"'] : []),
    ...(sendsFile ? ['-F file=@picture.png'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(json(body))}`]),
  ].join(' \\\n  ');
}

/** JavaScript that runs as it is in Node, Deno and Bun. */
export function fetchScript(request: SampleRequest): string {
  const { origin, method, path, secret, showsPreview, body, sendsFile } = request;
  const headers = [
    ...(secret ? [`Authorization: \`Bearer \${process.env.${secret}}\``] : []),
    ...(showsPreview ? ["'X-Preview-Token': process.env.PREVIEW_TOKEN"] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(sendsFile ? ['body: form'] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(literal(body, inJavaScript))})`]),
  ];
  const file = `import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('file', await openAsBlob('picture.png'), 'picture.png');
`;
  const given = options.length > 0 ? `, {\n  ${options.join(',\n  ')},\n}` : '';
  return `${sendsFile ? file : ''}const response = await fetch('${origin}${path}'${given});
console.log(response.status, await response.json());`;
}

/** The package of this repository; it sends no files. */
export function client({ origin, secret, showsPreview, call, sendsFile }: SampleRequest): string | undefined {
  if (sendsFile) return undefined;
  const option = secret === 'API_KEY' ? 'apiKey' : 'ownerToken';
  const credential = secret ? `,\n  ${option}: process.env.${secret}` : '';
  const preview = showsPreview ? ',\n  previewToken: process.env.PREVIEW_TOKEN' : '';
  const input = Object.keys(call.input).length > 0 ? literal(call.input, inJavaScript) : '';
  return `import { createClient } from 'creator-content-client';

const client = createClient({
  baseUrl: '${origin}'${credential}${preview},
});
console.log(await client.${call.name}.${call.verb}(${input}));`;
}

/** Its standard library is enough, but for files. */
export function python(request: SampleRequest): string | undefined {
  const { origin, method, path, secret, showsPreview, body, sendsFile } = request;
  if (sendsFile) return undefined;
  const headers = [
    ...(secret ? [`"Authorization": f"Bearer {os.environ['${secret}']}"`] : []),
    ...(showsPreview ? [`"X-Preview-Token": os.environ['PREVIEW_TOKEN']`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const given = [
    `"${origin}${path}"`,
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${indented(literal(body, inPython), 4)}).encode()`]),
  ];
  return `import json
${secret ? 'import os\n' : ''}import urllib.request

request = urllib.request.Request(
    ${given.join(',\n    ')},
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`;
}

const indented = (text: string, by = 2) => text.replaceAll('\n', `\n${' '.repeat(by)}`);

/** How a language writes values that JSON has; strings and numbers are the same in all of these. */
interface Notation {
  yes: string;
  no: string;
  nothing: string;
  key(name: string): string;
  indent: number;
}

const inJavaScript: Notation = {
  yes: 'true',
  no: 'false',
  nothing: 'null',
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)),
  indent: 2,
};

const inPython: Notation = { yes: 'True', no: 'False', nothing: 'None', key: JSON.stringify, indent: 4 };

/** What still stands in one line. */
const shortLength = 60;

function literal(value: unknown, notation: Notation): string {
  if (value === null || value === undefined) return notation.nothing;
  if (typeof value === 'boolean') return value ? notation.yes : notation.no;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Array.isArray(value)
    ? value.map((inner) => literal(inner, notation))
    : Object.entries(value).map(([name, inner]) => `${notation.key(name)}: ${literal(inner, notation)}`);
  const [open, close] = Array.isArray(value) ? '[]' : notation === inPython ? '{}' : ['{ ', ' }'];
  const short = `${open}${entries.join(', ')}${close}`;
  if (short.length <= shortLength && !short.includes('\n')) return entries.length > 0 ? short : short.trim();
  const lines = entries.map(
    (entry) => `\n${' '.repeat(notation.indent)}${indented(entry, notation.indent)},`,
  );
  return `${open?.trim()}${lines.join('')}\n${close?.trim()}`;
}
