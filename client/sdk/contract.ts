/**
 * All that the package takes from the service, as types. The build prints each export of this file as plain types, so
 * that what is published refers neither to the server nor to a library (`build/print-types.ts`).
 */

import type { AppRouter } from '../../server/api/router/app-router.ts';
import type { ErrorCode as Code, FieldError as Problem } from '../../shared/contract/errors.ts';
import type { EventData, EventName } from '../../shared/contract/events.ts';
import type { LoggedEvent as LoggedText } from '../../shared/contract/features/events.ts';
import type { FactorChallenge as Challenge } from '../../shared/contract/features/factors.ts';
import type { SiteChoice as Choice } from '../../shared/contract/features/session.ts';
import type { TestEventData } from '../../shared/contract/features/webhooks.ts';
import type { companions } from '../../shared/contract/pagination.ts';
import type { Included } from '../../shared/contract/sharing.ts';

/** Every procedure of the service by its name: what it is, takes and gives. */
export type Api = ProceduresOf<AppRouter['_def']['record']>;

type ProceduresOf<Router> = {
  [Name in keyof Router]: Router[Name] extends {
    _def: { type: infer Type; $types: { input: infer Input; output: infer Output } };
  }
    ? { type: Type; input: Input; output: Received<Output> }
    : ProceduresOf<Router[Name]>;
};

/** The log keeps an event as it is delivered, with its moment as text, which the client reads. */
type Received<Output> = Output extends { events: LoggedText[] }
  ? { [Name in keyof Output]: Name extends 'events' ? LoggedEvent[] : Output[Name] }
  : Output extends AsyncIterable<infer Item, infer _Return, infer _Next>
    ? { [Name in keyof Item]: Name extends 'data' ? LoggedEvent : Item[Name] }
    : Output;

/** An event of the log; `event` tells which one, and so what `data` holds. */
export type LoggedEvent = {
  [Name in EventName]: { id: string; event: Name; timestamp: Date; data: EventData<Name> };
}[EventName];

/** Every stable error code. The set is open: a newer server may send others. */
export type ErrorCode = Code;

/** What is wrong with one field of an input. */
export type FieldError = { [Name in keyof Problem]: Problem[Name] };

/** A site that somebody may sign in to. */
export type SiteChoice = { [Name in keyof Choice]: Choice[Name] };

/** How a second factor is to be given. */
export type FactorChallenge = { [Name in keyof Challenge]: Challenge[Name] };

/** Fields of a record that come along when another is asked for. */
export type Companions = typeof companions;

/** What `include` adds to records. */
export type IncludedName = keyof Included;

/** An event as a webhook delivers it; `event` tells which one, and so what `data` holds. */
export type WebhookEvent =
  | { [Name in EventName]: { event: Name; timestamp: Date; data: EventData<Name> } }[EventName]
  | { event: 'test'; timestamp: Date; data: TestEventData };
