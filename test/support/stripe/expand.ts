import type { Ledger } from './ledger.ts';
import { type Kind, prefixes } from './objects.ts';
import { StripeRefusal } from './refusal.ts';

/** Deepest path that Stripe expands. */
const maxDepth = 4;

/** Returns a copy of an answer in which the references that `expand` names are objects. */
export function expandAll(ledger: Ledger, answer: unknown, form: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(answer));
  if (typeof form !== 'object' || form === null || !('expand' in form) || !Array.isArray(form.expand))
    return copy;
  for (const path of form.expand) {
    const steps = String(path).split('.');
    if (steps.length > maxDepth)
      throw new StripeRefusal(400, `You cannot expand more than ${maxDepth} levels.`);
    expandPath(ledger, copy, steps);
  }
  return copy;
}

function expandPath(ledger: Ledger, target: Record<string, unknown>, steps: string[]): void {
  const [name, ...rest] = steps;
  if (name === undefined) return;
  const value = name in target ? target[name] : included(ledger, target, name);
  if (Array.isArray(value)) {
    for (const item of value) expandPath(ledger, item, rest);
    return;
  }
  if (value === null) return;
  const object = typeof value === 'string' ? find(ledger, value) : value;
  if (typeof object !== 'object' || object === null)
    throw new StripeRefusal(400, `This property cannot be expanded (${name}).`);
  const expanded: Record<string, unknown> = JSON.parse(JSON.stringify(object));
  target[name] = expanded;
  expandPath(ledger, expanded, rest);
}

/** Lists that objects contain only if they are expanded. */
function included(ledger: Ledger, { object, id }: Record<string, unknown>, name: string): unknown {
  const listOf = (data: unknown[]) => ({ object: 'list', data, has_more: false, url: `/v1/${name}` });
  if (object === 'charge' && name === 'refunds')
    return listOf(ledger.all('refund').filter(({ charge }) => charge === id));
  if (object === 'invoice' && name === 'payments')
    return listOf(ledger.all('invoice_payment').filter(({ invoice }) => invoice === id));
  throw new StripeRefusal(400, `This property cannot be expanded (${name}).`);
}

const kinds = Object.keys(prefixes) as Kind[];

function find(ledger: Ledger, id: string): unknown {
  const kind = kinds.find((one) => id.startsWith(`${prefixes[one]}_`));
  return kind && ledger.objects[kind].get(id);
}
