import type { CallOptions, MutationOptions, QueryOptions } from './client-options.ts';
import type { Api, Companions, IncludedName, LoggedEvent } from './contract.ts';
import type { Quota } from './quota.ts';

/** Procedures of the service: `client.v1.posts.list.query({ limit: 5 })`, `client.v1.posts.create.mutate({ title })`. */
export type ApiClient = ClientOf<Api> & {
  /** Remaining rate limit, as of the last answer that counted in one; undefined before that. */
  readonly quota: Quota | undefined;
};

/** A procedure that reads. */
export interface Query<Input, Output> {
  query: Call<Input, Output, QueryOptions>;
}

/** A procedure that writes. */
export interface Mutation<Input, Output> {
  mutate: Call<Input, Output, MutationOptions>;
}

/** A procedure that sends items as they occur. */
export interface Subscription<Input, Item> {
  /**
   * Returns items for a loop: `for await (const { id, data } of …subscribe())`. `signal`, or leaving the loop, ends it. A
   * broken connection is opened again, and continues after the last received item.
   */
  subscribe(input?: Input, options?: CallOptions): AsyncIterableIterator<Item>;
  /** Passes items to callbacks instead. `unsubscribe` ends it. */
  subscribe(input: Input, callbacks: SubscriptionCallbacks<Item> & CallOptions): { unsubscribe(): void };
}

export interface SubscriptionCallbacks<Item> {
  onData: (item: Item) => void;
  /** Called once, for an error that a new connection would not fix. */
  onError?: (error: Error) => void;
  /** Called with `connecting` and the error that broke a connection, and with `pending` when it is open again. */
  onConnectionStateChange?: (state: {
    state: 'idle' | 'connecting' | 'pending';
    error: Error | null;
  }) => void;
}

/** Input of a procedure: `InputOf<ApiClient['v1']['posts']['create']>`. */
export type InputOf<Procedure> =
  Procedure extends Query<infer Input, infer _>
    ? Input
    : Procedure extends Mutation<infer Input, infer _>
      ? Input
      : Procedure extends Subscription<infer Input, infer _>
        ? Input
        : never;

/** Output of a procedure, or one item of a subscription: `OutputOf<ApiClient['v1']['posts']['get']>` is a post. */
export type OutputOf<Procedure> =
  Procedure extends Query<infer _, infer Output>
    ? Output
    : Procedure extends Mutation<infer _, infer Output>
      ? Output
      : Procedure extends Subscription<infer _, infer Item>
        ? Item
        : never;

type ClientOf<Procedures> = {
  readonly [Name in keyof Procedures]: Procedures[Name] extends {
    type: infer Type;
    input: infer Input;
    output: infer Output;
  }
    ? Type extends 'query'
      ? Query<Input, Output>
      : Type extends 'subscription'
        ? Subscription<Input, Output>
        : Mutation<Input, Output>
    : ClientOf<Procedures[Name]>;
};

type Call<Input, Output, Options> = Output extends EventLog
  ? <const Name extends EventOf<Input>>(
      ...given: Given<Input, NamedEvent<Input, Name>, Options>
    ) => Promise<EventsNamed<Output, Name>>
  : [SparseNames<Input>] extends [never]
    ? (...given: Given<Input, Input, Options>) => Promise<Output>
    : <const Fields extends readonly SparseNames<Input>[] | undefined = undefined>(
        ...given: Given<Input, SparseInput<Input, Fields>, Options>
      ) => Promise<SparseOutput<Output, Fields>>;

/** Arguments of a call. The input is optional if the procedure requires none. */
export type Given<Input, Value, Options = CallOptions> = undefined extends Input
  ? [input?: Value, options?: Options]
  : [input: Value, options?: Options];

/** Result of a poll of the event log. */
export interface EventLog {
  events: LoggedEvent[];
}

/** Names of the events that a poll can request. */
export type EventOf<Input> = Input extends { event: infer Name } ? Name : never;

/** Input of a poll, with the given event name as a literal type. */
export type NamedEvent<Input, Name> = Omit<Input, 'event'> & { event: Name };

/** Result of a poll that contains only events of one name. */
type EventsNamed<Output extends EventLog, Name> = {
  [Key in keyof Output]: Key extends 'events' ? Extract<LoggedEvent, { event: Name }>[] : Output[Key];
};

/** Names that a list's `fields` accepts; the type `never` for a procedure without `fields`. */
export type SparseNames<Input> = Input extends { fields?: infer Fields }
  ? Extract<Fields, readonly string[]>[number]
  : never;

/** Input of a list, with the given `fields` as a literal type. */
export type SparseInput<Input, Fields> = Omit<NonNullable<Input>, 'fields'> & { fields?: Fields };

/** Result of a list whose records contain only `Fields`; the whole records if the call names no fields. */
export type SparseOutput<Output, Fields> = Fields extends readonly string[]
  ? { [Key in keyof Output]: Output[Key] extends (infer Item)[] ? PickFields<Item, Fields>[] : Output[Key] }
  : Output;

/** Record with only the fields in `Fields`. If their names are known only at run time, each field may be missing. */
type PickFields<Item, Fields extends readonly string[]> = number extends Fields['length']
  ? Partial<PickNamed<Item, Fields[number]>>
  : PickNamed<Item, Fields[number]>;

/**
 * Record with the named fields and their companions. Fields that `include` adds are present, whatever `fields`
 * contains.
 */
type PickNamed<Item, Name extends string> = Pick<
  Item,
  Extract<keyof Item, Name | CompanionOf<Name> | IncludedName>
>;

type CompanionOf<Name> = Name extends keyof Companions ? Companions[Name][number] : never;
