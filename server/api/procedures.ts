import type { AnyProcedure, AnyRouter, ProcedureType, TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Context } from './context.ts';
import type { Meta, RestRoute } from './meta.ts';

/** What a procedure gave or failed with. */
export type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };

/** A procedure with all that it says of itself: every surface is made from this. */
export interface Procedure {
  /** As RPC calls it: `v1.posts.list`. */
  name: string;
  type: ProcedureType;
  meta: Meta;
  /** The contract of its input, path parameters included; undefined when it takes none. */
  input: z.ZodObject | undefined;
  /** The contract of its output; for a subscription, of each value. */
  output: z.ZodType;
  /** Access checks, input, output and resolver, in the order in which they run. */
  middlewares: readonly ((call: object) => Promise<Result>)[];
  /** Where among them the output's contract stands: idempotency, audit log and large answers wrap what runs from there on. */
  outputAt: number;
  /** Whether it may change something. */
  isWrite: boolean;
  /** Whether what it does goes into the audit log. */
  isAudited: boolean;
  /** Whether its input comes in a JSON body over REST, besides the path. */
  takesBody: boolean;
  /** tRPC's own form of it. */
  native: AnyProcedure;
}

export type RestProcedure = Procedure & { meta: { openapi: RestRoute } };

const described = new WeakMap<AnyRouter, ReadonlyMap<string, Procedure>>();

/** Every procedure of `router` by its name. Nothing else reads what tRPC keeps to itself. Throws for one without contracts. */
export function proceduresOf(router: AnyRouter): ReadonlyMap<string, Procedure> {
  const known = described.get(router);
  if (known) return known;
  const natives = Object.entries<AnyProcedure>(router._def.procedures);
  const procedures = new Map(natives.map(([name, native]) => [name, describe(name, native)]));
  described.set(router, procedures);
  return procedures;
}

/** Those of them that have a REST path. */
export const restProceduresOf = (router: AnyRouter): RestProcedure[] =>
  [...proceduresOf(router).values()].filter(hasRestPath);

/** What tRPC's adapters hand to a procedure. */
export interface NativeCall {
  ctx: Context;
  getRawInput(): Promise<unknown>;
  batchIndex: number;
  signal: AbortSignal | undefined;
}

/** `router` for tRPC's own adapters, but with every procedure run by `run`. */
export function routerRunBy(
  router: AnyRouter,
  run: (procedure: Procedure, call: NativeCall) => Promise<unknown>,
): AnyRouter {
  const procedures = [...proceduresOf(router).values()].map((procedure) => [
    procedure.name,
    Object.assign((call: NativeCall) => run(procedure, call), procedure.native),
  ]);
  // Without a prototype, or `constructor` would be a procedure to tRPC.
  const byName = Object.assign(Object.create(null), Object.fromEntries(procedures));
  return { ...router, _def: { ...router._def, procedures: byName } };
}

const hasRestPath = (procedure: Procedure): procedure is RestProcedure =>
  procedure.meta.openapi !== undefined;

/** What tRPC keeps of a procedure at run time, but not in its types. */
interface Definition {
  meta?: Meta;
  inputs: readonly unknown[];
  output?: unknown;
  middlewares: readonly (Procedure['middlewares'][number] & { _type?: 'input' | 'output' })[];
}

function describe(name: string, native: AnyProcedure): Procedure {
  // The router that made `native` puts these properties there; tRPC's types leave them out.
  const { meta = {}, inputs, output: declared, middlewares } = native._def as unknown as Definition;
  const [first] = inputs;
  const input = first instanceof z.ZodPrefault ? first.unwrap() : first;
  if (input !== undefined && !(input instanceof z.ZodObject))
    throw new Error(`${name}: the input contract is not an object`);
  const output = native._def.type === 'subscription' ? contractOfValues(declared) : declared;
  if (!(output instanceof z.ZodType)) throw new Error(`${name}: no output contract`);
  const outputAt = middlewares.findIndex(({ _type }) => _type === 'output');
  const { type } = native._def;
  const isWrite = type === 'mutation' && !meta.changesNothing;
  return {
    name,
    type,
    meta,
    input,
    output,
    middlewares,
    outputAt,
    isWrite,
    isAudited: isWrite && leavesEntry(meta),
    takesBody: !meta.bodyless && ['POST', 'PATCH'].includes(meta.openapi?.method ?? ''),
    native,
  };
}

/**
 * Whether a write goes into the audit log: all that an owner changes, but for what remembers by itself who wrote it; and
 * what others change of how a site is run, where the procedure says so.
 */
const leavesEntry = ({ audited, access, unaudited }: Meta) => audited ?? (access === 'owner' && !unaudited);

/** What `streamOf` says of each value. */
const contractOfValues = (declared: unknown) =>
  typeof declared === 'object' && declared !== null && 'value' in declared ? declared.value : undefined;
