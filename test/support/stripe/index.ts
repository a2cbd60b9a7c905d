import { createRandom } from '../random.ts';
import { completeSession, endSessionPayment, type PayOptions } from './buyers.ts';
import { type Faults, type GatewayFault, noFaults } from './faults.ts';
import { Ledger, newText } from './ledger.ts';
import type { Kind } from './objects.ts';
import * as payments from './payments.ts';
import { type Access, createStripeServer, type ServerState } from './server.ts';
import * as subscriptions from './subscriptions.ts';
import { createWebhookSender } from './webhooks.ts';

export type { Faults };

interface AccountOptions {
  /** Existing account that gets another key, or its other mode. */
  id?: string;
  name?: string;
  livemode?: boolean;
  /** Restricted permissions. The key may write everything else. */
  permissions?: Access['permissions'];
}

/**
 * Starts a stand-in of Stripe on loopback for the official client. It has accounts, each with test and live mode. The calls of buyers,
 * owners and banks are methods here; `calls` lists what the service called.
 */
export async function startStripe({ now = () => new Date(), seed = 1 } = {}) {
  let aheadMs = 0;
  const clock = () => new Date(now().getTime() + aheadMs);
  const random = createRandom(seed);
  const faults = noFaults();
  const state: ServerState = {
    ...{ keys: new Map(), calls: [], faults, fates: [], omitted: new Set(), random, onCall: () => {} },
  };
  const webhooks = createWebhookSender(faults, clock, random);
  const ledgers = new Map<string, Ledger>();
  const server = createStripeServer(state);
  await server.listen();

  const modeOf = (accountId: string, livemode: boolean) => `${accountId} ${livemode}`;

  function getLedger(accountId: string, livemode = false): Ledger {
    const ledger = ledgers.get(modeOf(accountId, livemode)) ?? ledgers.get(modeOf(accountId, !livemode));
    if (!ledger) throw new Error(`no such account: ${accountId}`);
    ledger.passTime();
    return ledger;
  }

  /** Ledger with an object. */
  function ledgerWith(kind: Kind, id: string): Ledger {
    for (const ledger of ledgers.values()) {
      ledger.passTime();
      if (ledger.objects[kind].has(id)) return ledger;
    }
    throw new Error(`no such ${kind}: ${id}`);
  }

  const passTime = () => {
    for (const ledger of ledgers.values()) ledger.passTime();
  };

  /** Step of a buyer, an owner or a bank on an object. */
  const step =
    <Rest extends unknown[], Result>(
      kind: Kind,
      run: (ledger: Ledger, id: string, ...rest: Rest) => Result,
    ) =>
    async (id: string, ...rest: Rest): Promise<Result> =>
      run(ledgerWith(kind, id), id, ...rest);

  return {
    /** Value of `STRIPE_API_BASE`. */
    get url() {
      return server.url;
    },
    createAccount({ id = `acct_${newText(16)}`, name = 'A studio', ...options }: AccountOptions = {}) {
      const { livemode = false, permissions = {} } = options;
      const mode = modeOf(id, livemode);
      const ledger = ledgers.get(mode) ?? new Ledger(clock, { id, name, livemode });
      ledgers.set(mode, ledger);
      ledger.onEvent = (event) => webhooks.publish(ledger, event);
      const key = `rk_${livemode ? 'live' : 'test'}_${newText(24)}`;
      state.keys.set(key, { ledger, permissions });
      return { id, key };
    },
    /** Makes a key invalid: from then on Stripe answers 401. */
    revokeKey: (key: string) => void state.keys.delete(key),
    /** Objects of an account, for comparisons. The mode is its test mode if it has one. */
    ledger: (accountId: string, livemode?: boolean) => viewOf(getLedger(accountId, livemode)),
    /** Completes a Checkout session as its buyer would. */
    pay: step('checkout.session', (ledger, id, options: PayOptions = {}) =>
      completeSession(ledger, ledger.get('checkout.session', id), options),
    ),
    /** The payment of a complete session by a bank account succeeds. */
    settle: step('checkout.session', (ledger, id) =>
      endSessionPayment(ledger, ledger.get('checkout.session', id), true),
    ),
    /** The payment of a complete session by a bank account fails. */
    fail: step('checkout.session', (ledger, id) =>
      endSessionPayment(ledger, ledger.get('checkout.session', id), false),
    ),
    refund: step('charge', payments.refund),
    failRefund: step('refund', payments.failRefund),
    dispute: step('charge', payments.dispute),
    escalateDispute: step('dispute', payments.escalateDispute),
    closeDispute: step('dispute', payments.closeDispute),
    /** Begins the next period of a subscription, and pays it. */
    renew: step('subscription', (ledger, id) => subscriptions.renew(ledger, id)),
    /** Begins the next period of a subscription, whose payment fails: it is past due. */
    failRenewal: step('subscription', (ledger, id) => subscriptions.renew(ledger, id, { fails: true })),
    /** Pays what a subscription that is past due owes. */
    payOverdue: step('subscription', subscriptions.payLatestInvoice),
    setStatus: step('subscription', (ledger, id, status: Parameters<typeof subscriptions.setStatus>[2]) =>
      subscriptions.setStatus(ledger, ledger.get('subscription', id), status),
    ),
    cancel: step('subscription', (ledger, id, { atPeriodEnd = false } = {}) =>
      atPeriodEnd
        ? subscriptions.setCancelAtPeriodEnd(ledger, id, true)
        : subscriptions.endSubscription(ledger, id),
    ),
    /** Withdraws a cancellation at the end of the period. */
    resume: step('subscription', (ledger, id) => subscriptions.setCancelAtPeriodEnd(ledger, id, false)),
    deleteCustomer: step('customer', (ledger, id) => void ledger.objects.customer.delete(id)),
    /** Payment that the service did not start. */
    payElsewhere: (accountId: string, payment: payments.PaymentOf, livemode?: boolean) =>
      payments.charge(getLedger(accountId, livemode), payment),
    /** Moves the clock. Sessions expire, and canceled subscriptions end. */
    advance(ms: number) {
      aheadMs += ms;
      passTime();
    },
    /** Applies what a clock that was moved from outside makes due. */
    passTime,
    faults,
    /** Leaves a field out of all answers. */
    omit: (name: string) => void state.omitted.add(name),
    /** Ends all faults. */
    recover: () => Object.assign(faults, noFaults()),
    /** Sets the outcomes of the next calls, before those that `faults` draws. */
    next: (...fates: GatewayFault[]) => void state.fates.push(...fates),
    /** Runs before a call is done and before it is answered, for tests that end a process at this moment. */
    onCall(run: ServerState['onCall']) {
      state.onCall = run;
    },
    calls: state.calls,
    webhooks,
    /** Closes every connection and stops listening, as if the process were killed. Objects are kept. */
    kill: () => server.close(),
    /** Listens at the same address again. */
    restart: () => server.listen(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;

const viewOf = (ledger: Ledger) => ({
  sessions: ledger.all('checkout.session'),
  /** Sessions that are paid, or need no payment. */
  paid: ledger
    .all('checkout.session')
    .filter((session) => session.status === 'complete' && session.payment_status !== 'unpaid'),
  paymentIntents: ledger.all('payment_intent'),
  charges: ledger.all('charge'),
  /** Charges that are refunded, in full or in part. */
  refunded: ledger.all('charge').filter(({ amount_refunded }) => amount_refunded > 0),
  refunds: ledger.all('refund'),
  disputes: ledger.all('dispute'),
  customers: ledger.all('customer'),
  subscriptions: ledger.all('subscription'),
  invoices: ledger.all('invoice'),
  invoicePayments: ledger.all('invoice_payment'),
  products: ledger.all('product'),
  webhookEndpoints: ledger.all('webhook_endpoint'),
  portalConfigurations: ledger.all('billing_portal.configuration'),
  events: ledger.events,
});
