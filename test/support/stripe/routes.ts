import { z } from 'zod';
import type { Ledger } from './ledger.ts';
import type { Kind, Kinds } from './objects.ts';
import { expandable, listed, parse } from './parameters.ts';
import { StripeRefusal } from './refusal.ts';

/** Permissions of restricted keys, by Stripe's names without `rak_` and `_read` or `_write`. */
export type Permission =
  | ('account' | 'product' | 'checkout_session' | 'payment_intent' | 'charge' | 'dispute' | 'customer')
  | ('subscription' | 'invoice' | 'customer_portal' | 'webhook' | 'event' | 'refund');

/** Endpoint. `prepare` parses the parameters and throws before anything is done. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  permission: Permission;
  prepare: (form: unknown) => (ledger: Ledger, ids: string[]) => unknown;
}

/** Endpoint at a path such as `/v1/refunds/:id`. */
export function route<Parameters>(
  [method, path]: [Route['method'], string],
  permission: Permission,
  schema: z.ZodType<Parameters>,
  handle: (ledger: Ledger, parameters: Parameters, id: string) => unknown,
): Route {
  return {
    method,
    path: new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)')}$`),
    permission,
    prepare(form) {
      const parameters = parse(schema, form);
      return (ledger, [id = '']) => handle(ledger, parameters, id);
    },
  };
}

/** Endpoint that returns one object by its id. */
export const retrieve = (kind: Kind, path: string, permission: Permission): Route =>
  route(['GET', `${path}/:id`], permission, z.strictObject(expandable), (ledger, _, id) =>
    ledger.get(kind, id),
  );

type ListParameters = z.infer<z.ZodObject<typeof listed>>;

/** Endpoint that lists objects of a kind, newest first. `filters` are compared for equality. */
export function list<K extends Kind>(
  kind: K,
  path: string,
  permission: Permission,
  filters: { [name: string]: (object: Kinds[K], ledger: Ledger) => unknown },
): Route {
  const names = Object.keys(filters);
  const schema = z.strictObject({
    ...listed,
    ...Object.fromEntries(names.map((name) => [name, z.string().exactOptional()])),
  });
  return route(
    ['GET', path],
    permission,
    schema,
    (ledger, parameters: ListParameters & Record<string, unknown>) => {
      const fits = (object: Kinds[K]) =>
        names.every((name) => {
          const wanted = parameters[name];
          return wanted === undefined || filters[name]?.(object, ledger) === wanted;
        });
      return page(ledger.all(kind).reverse().filter(fits), parameters, path);
    },
  );
}

interface Listed {
  id: string;
  created?: number;
}

/** Page of a list that begins with the newest object. */
export function page<Item extends Listed>(all: Item[], parameters: ListParameters, url: string) {
  const { created, limit = 10, starting_after: after, ending_before: before } = parameters;
  const range = typeof created === 'number' ? { gte: created, lte: created } : (created ?? {});
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  const fits = ({ created: at = 0 }: Item) => at > gt && at >= gte && at < lt && at <= lte;
  const fitting = all.filter(fits);
  const positionOf = (id: string) => {
    const position = fitting.findIndex((item) => item.id === id);
    if (position >= 0) return position;
    throw new StripeRefusal(400, `No such object: '${id}'`, {
      code: 'resource_missing',
      param: 'starting_after',
    });
  };
  if (before !== undefined) {
    const end = positionOf(before);
    const start = Math.max(0, end - limit);
    return { object: 'list', data: fitting.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : positionOf(after) + 1;
  const data = fitting.slice(start, start + limit);
  return { object: 'list', data, has_more: start + limit < fitting.length, url };
}
