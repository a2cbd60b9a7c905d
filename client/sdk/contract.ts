/**
 * Types that the package takes from the service. The build prints each export of this file as plain types
 * (`build/print-types.ts`). The published package therefore depends neither on the server nor on a library.
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

/** Procedures that clients can call over RPC, by name, with type, input and output. Uploads are REST only. */
export type Api = ProceduresOf<AppRouter['_def']['record']>;

type ProceduresOf<Router> = {
  [Name in keyof Router]: Router[Name] extends {
    _def: { type: infer Type; $types: { input: infer Input; output: infer Output } };
  }
    ? { type: Type; input: Input; output: ParsedOutput<Output> }
    : ProceduresOf<Router[Name]>;
};

/** The log stores events as they are delivered, with the timestamp as text; the client converts it to a Date. */
type ParsedOutput<Output> = Output extends { events: LoggedText[] }
  ? { [Name in keyof Output]: Name extends 'events' ? LoggedEvent[] : Output[Name] }
  : Output extends AsyncIterable<infer Item, infer _Return, infer _Next>
    ? { [Name in keyof Item]: Name extends 'data' ? LoggedEvent : Item[Name] }
    : Output;

/** An event in the log; `event` determines the type of `data`. */
export type LoggedEvent = {
  [Name in EventName]: { id: string; event: Name; timestamp: Date; data: EventData<Name> };
}[EventName];

/** Every stable error code. The set is open: a newer server may send others. */
export type ErrorCode = Code;

/** A broken rule of one input field. */
export type FieldError = { [Name in keyof Problem]: Problem[Name] };

/** A site that a user may sign in to. */
export type SiteChoice = { [Name in keyof Choice]: Choice[Name] };

/** Data for a second factor. */
export type FactorChallenge = { [Name in keyof Challenge]: Challenge[Name] };

/** Fields of a record that are returned together with another field. */
export type Companions = typeof companions;

/** Names of the fields that `include` adds to records. */
export type IncludedName = keyof Included;

/** An event as a webhook delivers it; `event` determines the type of `data`. */
export type WebhookEvent =
  | { [Name in EventName]: { event: Name; timestamp: Date; data: EventData<Name> } }[EventName]
  | { event: 'test'; timestamp: Date; data: TestEventData };
