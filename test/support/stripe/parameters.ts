import { z } from 'zod';
import { StripeRefusal } from './refusal.ts';

/** Decodes `a[b][0]=c`. Objects whose names are all numbers become arrays. */
export function readForm(text: string): unknown {
  const root: Tree = new Map();
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [
      name.replace(/\[.*/s, ''),
      ...[...name.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? ''),
    ];
    const last = path.pop() ?? '';
    let tree = root;
    for (const step of path) {
      const found = tree.get(step);
      const next: Tree = found instanceof Map ? found : new Map();
      tree.set(step, next);
      tree = next;
    }
    tree.set(last === '' ? String(tree.size) : last, value);
  }
  return plain(root);
}

type Tree = Map<string, string | Tree>;

function plain(tree: string | Tree): unknown {
  if (typeof tree === 'string') return tree;
  const isArray = tree.size > 0 && [...tree.keys()].every((name) => /^\d+$/.test(name));
  if (isArray) return [...tree.values()].map(plain);
  return Object.fromEntries([...tree].map(([name, value]) => [name, plain(value)]));
}

/** Parses parameters. Refuses unknown, missing and invalid ones with Stripe's codes. */
export function parse<Output>(schema: z.ZodType<Output>, input: unknown): Output {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw result.error;
  if (issue.code === 'unrecognized_keys') {
    const param = nameOf([...issue.path, issue.keys[0] ?? '']);
    throw new StripeRefusal(400, `Received unknown parameter: ${param}`, {
      code: 'parameter_unknown',
      param,
    });
  }
  const param = nameOf(issue.path);
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  if (isMissing)
    throw new StripeRefusal(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param });
  throw new StripeRefusal(400, `Invalid ${param}: ${issue.message}`, { code: 'parameter_invalid', param });
}

const nameOf = ([first, ...rest]: PropertyKey[]) =>
  String(first ?? '') + rest.map((part) => `[${String(part)}]`).join('');

export const text = z.string().max(5_000);
export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: 'Invalid integer' })
  .transform(Number);
export const toggle = z.enum(['true', 'false']).transform((value) => value === 'true');
export const address = z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, { error: 'Invalid email address' });
/** Absolute URL of a page. Stripe requires a scheme. */
export const link = z.url({ protocol: /^https?$/ }).max(5_000);
export const metadata = z.record(z.string().max(40), z.string().max(500));
export const currency = z.string().regex(/^[a-z]{3}$/, { error: 'Invalid currency' });

const expand = z.array(z.string()).exactOptional();
const range = z.strictObject({
  gt: integer.exactOptional(),
  gte: integer.exactOptional(),
  lt: integer.exactOptional(),
  lte: integer.exactOptional(),
});

/** Parameters that every request has. */
export const expandable = { expand };

/** Parameters that every list has. */
export const listed = {
  ...expandable,
  created: z.union([range, integer]).exactOptional(),
  limit: integer.pipe(z.number().min(1).max(100)).exactOptional(),
  starting_after: z.string().exactOptional(),
  ending_before: z.string().exactOptional(),
};
