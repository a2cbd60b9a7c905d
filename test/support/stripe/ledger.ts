import { randomBytes } from 'node:crypto';
import { Stripe } from 'stripe';
import { base62, randomText } from '../../../shared/contract/record-id.ts';
import { type Base, type Kind, type Kinds, newAccount, prefixes } from './objects.ts';
import { noSuch } from './refusal.ts';

/** Stripe lists events for 30 days. */
const eventSeconds = 30 * 86_400;

/** Objects of one account in one mode, its events, and what happens to them when time passes. */
export class Ledger {
  readonly accountId: string;
  readonly livemode: boolean;
  readonly objects: { [K in Kind]: Map<string, Kinds[K]> } = {
    ...{ account: new Map(), product: new Map(), 'checkout.session': new Map(), payment_intent: new Map() },
    ...{ charge: new Map(), refund: new Map(), dispute: new Map(), customer: new Map() },
    ...{ subscription: new Map(), invoice: new Map(), invoice_payment: new Map() },
    ...{ 'billing_portal.configuration': new Map(), webhook_endpoint: new Map() },
  };
  /** Oldest first. */
  readonly events: Stripe.Event[] = [];
  /** Called with every new event. */
  onEvent: (event: Stripe.Event) => void = () => {};
  readonly #clock: () => Date;
  #due: { at: number; run: () => void }[] = [];
  #nextDue = Infinity;

  constructor(clock: () => Date, { id, name, livemode }: { id: string; name: string; livemode: boolean }) {
    this.#clock = clock;
    this.accountId = id;
    this.livemode = livemode;
    this.put('account', newAccount({ id, created: this.now(), livemode }, name));
  }

  /** Current time in seconds. */
  now(): number {
    return Math.floor(this.#clock().getTime() / 1_000);
  }

  /** Id, time and mode for a new object. */
  base(kind: Kind): Base {
    const mode = kind === 'checkout.session' ? (this.livemode ? 'live_' : 'test_') : '';
    return {
      id: `${prefixes[kind]}_${mode}${newText(mode ? 58 : 24)}`,
      created: this.now(),
      livemode: this.livemode,
    };
  }

  put<K extends Kind>(kind: K, object: Kinds[K]): Kinds[K] {
    this.objects[kind].set(object.id, object);
    return object;
  }

  /** Throws 404 `resource_missing`. */
  get<K extends Kind>(kind: K, id: string): Kinds[K] {
    const object = this.objects[kind].get(id);
    if (!object) throw noSuch(kind.replaceAll('_', ' '), id);
    return object;
  }

  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.objects[kind].values()];
  }

  /** Records an event with a copy of the object as it is now. */
  record(type: Stripe.Event.Type, object: { id: string; object: string }): void {
    const base: Omit<Stripe.EventBase, 'type'> = {
      ...{ id: `evt_${newText(24)}`, object: 'event', api_version: Stripe.API_VERSION, created: this.now() },
      ...{ livemode: this.livemode, pending_webhooks: 0, request: { id: null, idempotency_key: null } },
      data: { object: JSON.parse(JSON.stringify(object)) },
    };
    // The types of events pair each type with its object, which a type that varies cannot express.
    const event = { ...base, type } as Stripe.Event;
    this.events.push(event);
    this.onEvent(event);
  }

  /** Events that Stripe still lists, newest first. */
  recentEvents(): Stripe.Event[] {
    const oldest = this.now() - eventSeconds;
    return this.events.filter(({ created }) => created >= oldest).reverse();
  }

  /** Runs something once the time (in seconds) has come. */
  at(seconds: number, run: () => void): void {
    this.#due.push({ at: seconds, run });
    this.#nextDue = Math.min(this.#nextDue, seconds);
  }

  /** Runs what is due. */
  passTime(): void {
    const now = this.now();
    if (now < this.#nextDue) return;
    const due = this.#due.filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at);
    this.#due = this.#due.filter(({ at }) => at > now);
    this.#nextDue = Math.min(...this.#due.map(({ at }) => at), Infinity);
    for (const { run } of due) run();
  }
}

/** Random letters and digits. */
export const newText = (length: number) => randomText(base62, length, randomBytes);
