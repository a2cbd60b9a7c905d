import type { AnyProcedure, AnyRouter, ProcedureType, TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Context } from './context.ts';
import type { Meta, RestRoute } from './meta.ts';

export type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };

/** Procedure with all of its metadata; every surface is generated from it. */
export interface Procedure {
  /** RPC name such as `v1.posts.list`. */
  name: string;
  type: ProcedureType;
  meta: Meta;
  /** Contract of the input, including path parameters; undefined without input. */
  input: z.ZodObject | undefined;
  /** Contract of the output; for a subscription, of each value. */
  output: z.ZodType;
  /** Access checks, input, output and resolver, in the order in which they run. */
  middlewares: readonly ((call: object) => Promise<Result>)[];
  /**
   * Index of the output contract in `middlewares`. Idempotency, the audit log and large answers wrap everything from
   * there on.
   */
  outputAt: number;
  /** True if the procedure may change data. */
  isWrite: boolean;
  /** True if calls write an audit entry. */
  isAudited: boolean;
  /** True if a REST request has a body: JSON, or a form for an upload (`meta.multipart`). */
  takesBody: boolean;
  native: AnyProcedure;
}

export type RestProcedure = Procedure & { meta: { openapi: RestRoute } };

const described = new WeakMap<AnyRouter, ReadonlyMap<string, Procedure>>();

/**
 * Returns all procedures of `router` by name. No other code reads tRPC's internals. Throws an `Error` for a procedure
 * without an output contract, or with an input contract that is not an object.
 */
export function proceduresOf(router: AnyRouter): ReadonlyMap<string, Procedure> {
  const known = described.get(router);
  if (known) return known;
  const natives = Object.entries<AnyProcedure>(router._def.procedures);
  const procedures = new Map(natives.map(([name, native]) => [name, describe(name, native)]));
  described.set(router, procedures);
  return procedures;
}

/** Returns the procedures of `router` that have a REST path. */
export const restProceduresOf = (router: AnyRouter): RestProcedure[] =>
  [...proceduresOf(router).values()].filter(hasRestPath);

/** Argument with which tRPC's adapters call a procedure. `batchIndex` is the position in an RPC batch, from 0. */
export interface NativeCall {
  ctx: Context;
  getRawInput(): Promise<unknown>;
  batchIndex: number;
  signal: AbortSignal | undefined;
}

/** Returns a copy of `router` for tRPC's own adapters, with `run` executing every procedure. */
export function routerRunBy(
  router: AnyRouter,
  run: (procedure: Procedure, call: NativeCall) => Promise<unknown>,
): AnyRouter {
  const procedures = [...proceduresOf(router).values()].map((procedure) => [
    procedure.name,
    Object.assign((call: NativeCall) => run(procedure, call), procedure.native),
  ]);
  // Without a prototype; otherwise tRPC would take `constructor` for a procedure.
  const byName = Object.assign(Object.create(null), Object.fromEntries(procedures));
  return { ...router, _def: { ...router._def, procedures: byName } };
}

const hasRestPath = (procedure: Procedure): procedure is RestProcedure =>
  procedure.meta.openapi !== undefined;

/** Properties of a procedure at run time that tRPC's types omit. */
interface Definition {
  meta?: Meta;
  inputs: readonly unknown[];
  output?: unknown;
  middlewares: readonly (Procedure['middlewares'][number] & { _type?: 'input' | 'output' })[];
}

function describe(name: string, native: AnyProcedure): Procedure {
  // tRPC sets these properties on every procedure, but its types omit them.
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
 * Decides whether a write has an audit entry: changes by owners do, unless their records store the author. Other writes
 * do if the procedure declares it.
 */
const leavesEntry = ({ audited, access, unaudited }: Meta) => audited ?? (access === 'owner' && !unaudited);

/** Returns the contract of each value of a `streamOf` output; undefined for another output. */
const contractOfValues = (declared: unknown) =>
  typeof declared === 'object' && declared !== null && 'value' in declared ? declared.value : undefined;
