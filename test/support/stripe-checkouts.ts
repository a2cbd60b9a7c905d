import { visitorClient } from './rpc.ts';
import type { StripeSite } from './selling-site.ts';

export const grace = 'grace@example.com';

/** Rows of checkouts, the oldest first. */
export const rowsOf = (app: StripeSite, what = '*') =>
  app.deps.database.em
    .fork()
    .execute<Record<string, unknown>[]>(`select ${what} from checkouts order by created, id`);

/** Starts the checkout of a visitor. */
export const begin = (app: StripeSite, offer_id: string, email = grace) =>
  visitorClient(app.baseUrl).site.checkout.begin.mutate({ offer_id, email });

/** Calls that created the sessions of checkouts. */
export const created = ({ stripe }: StripeSite) =>
  stripe.calls.filter(
    ({ path, body }) =>
      path === '/v1/checkout/sessions' && JSON.stringify(body).includes('client_reference_id'),
  );
