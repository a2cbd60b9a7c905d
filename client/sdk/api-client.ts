import type { CallOptions, MutationOptions, QueryOptions } from './client-options.ts';
import type { Api, Companions, IncludedName, LoggedEvent } from './contract.ts';
import type { Quota } from './quota.ts';

/** The service's procedures: `client.v1.posts.list.query({ limit: 5 })`, `client.v1.posts.create.mutate({ title })`. */
export type ApiClient = ClientOf<Api> & {
  /**
   * What is left of the rate limit that the last answer counted in; undefined before the first answer, and where
   * nothing is limited.
   */
  readonly quota: Quota | undefined;
};

/** A call of a procedure that reads. */
export interface Query<Input, Output> {
  query: Call<Input, Output, QueryOptions>;
}

/** A call of a procedure that writes. */
export interface Mutation<Input, Output> {
  mutate: Call<Input, Output, MutationOptions>;
}

/** A procedure that tells of things as they happen. */
export interface Subscription<Input, Item> {
  /**
   * Each item, for a loop: `for await (const { id, data } of …subscribe())`. `signal`, or leaving the loop, ends it. A
   * connection that breaks is made again, and goes on where it broke.
   */
  subscribe(input?: Input, options?: CallOptions): AsyncIterableIterator<Item>;
  /** The same for callbacks; what is returned ends it. */
  subscribe(input: Input, callbacks: SubscriptionCallbacks<Item> & CallOptions): { unsubscribe(): void };
}

export interface SubscriptionCallbacks<Item> {
  onData: (item: Item) => void;
  /** Told once, for what no new connection would mend. */
  onError?: (error: Error) => void;
  /** `connecting` with the error that broke a connection, `pending` once events come again. */
  onConnectionStateChange?: (state: {
    state: 'idle' | 'connecting' | 'pending';
    error: Error | null;
  }) => void;
}

/** What a procedure takes: `InputOf<ApiClient['v1']['posts']['create']>`. */
export type InputOf<Procedure> =
  Procedure extends Query<infer Input, infer _>
    ? Input
    : Procedure extends Mutation<infer Input, infer _>
      ? Input
      : Procedure extends Subscription<infer Input, infer _>
        ? Input
        : never;

/** What a procedure gives, whole, or one item of what it tells: `OutputOf<ApiClient['v1']['posts']['get']>` is a post. */
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

/** The arguments of a call. A procedure that takes nothing, or nothing required, is called without input. */
export type Given<Input, Value, Options = CallOptions> = undefined extends Input
  ? [input?: Value, options?: Options]
  : [input: Value, options?: Options];

/** What a poll of the event log gives. */
export interface EventLog {
  events: LoggedEvent[];
}

/** The events that a poll can ask for. */
export type EventOf<Input> = Input extends { event: infer Name } ? Name : never;

/** The input of a poll with the very event that was given. */
export type NamedEvent<Input, Name> = Omit<Input, 'event'> & { event: Name };

/** What a poll gives, with events of that name only. */
type EventsNamed<Output extends EventLog, Name> = {
  [Key in keyof Output]: Key extends 'events' ? Extract<LoggedEvent, { event: Name }>[] : Output[Key];
};

/** The names that a list's `fields` takes; never for a procedure without `fields`. */
export type SparseNames<Input> = Input extends { fields?: infer Fields }
  ? Extract<Fields, readonly string[]>[number]
  : never;

/** The input of a list with the very `fields` that were given. */
export type SparseInput<Input, Fields> = Omit<NonNullable<Input>, 'fields'> & { fields?: Fields };

/** A list whose records hold only `Fields`; whole records when none were given. */
export type SparseOutput<Output, Fields> = Fields extends readonly string[]
  ? { [Key in keyof Output]: Output[Key] extends (infer Item)[] ? Narrowed<Item, Fields>[] : Output[Key] }
  : Output;

/** Of names that are known only at run time, each may be missing. */
type Narrowed<Item, Fields extends readonly string[]> = number extends Fields['length']
  ? Partial<Chosen<Item, Fields[number]>>
  : Chosen<Item, Fields[number]>;

/** What `include` names comes whatever the fields are. */
type Chosen<Item, Name extends string> = Pick<
  Item,
  Extract<keyof Item, Name | CompanionOf<Name> | IncludedName>
>;

type CompanionOf<Name> = Name extends keyof Companions ? Companions[Name][number] : never;
