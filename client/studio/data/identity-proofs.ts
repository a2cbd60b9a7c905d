import { codeOf } from '../strings/errors.ts';
import { createStore } from '../ui/store.ts';

export type Proofs = ReturnType<typeof createProofs>;

/**
 * Creates the store of identity checks.
 *
 * Some writes need a recent proof of identity. The first refused one (`proof_required`) opens a request, and the proof
 * dialog appears. Further refused writes wait for the same request. `settle` closes it: if a proof was given, each write is
 * sent again once; otherwise each fails with its own error.
 */
export function createProofs() {
  const { get, set, subscribe } = createStore<PromiseWithResolvers<boolean> | null>(null);
  return {
    /** The open request; null if there is none. */
    get,
    subscribe,
    /** Resolves to true if the user gave a proof, false if they canceled. */
    request(): Promise<boolean> {
      const pending = get() ?? Promise.withResolvers<boolean>();
      if (pending !== get()) set(pending);
      return pending.promise;
    },
    settle(isGiven: boolean) {
      get()?.resolve(isGiven);
      set(null);
    },
  };
}

interface ProofOptions extends Pick<Proofs, 'request'> {
  /**
   * Called when a write begins. The returned function is called when it ends, even if it failed, because the service may
   * have done it.
   */
  beginWrite(): () => void;
}

/**
 * Wraps a client so that writes refused with `proof_required` wait for a proof of identity, and are sent again once.
 *
 * Other errors are passed on. `proof_required` is passed on if the user gave no proof, or if the second attempt is
 * refused with it too.
 */
export function provingClient<Client extends object>(client: Client, how: ProofOptions): Client {
  return new Proxy(client, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      if (typeof part !== 'function') return part;
      if (name !== 'mutate') return provingClient(part, how);
      return async (...input: unknown[]) => {
        const write = (): Promise<unknown> => Reflect.apply(part, target, input);
        const end = isRead(input) ? null : how.beginWrite();
        try {
          return await write();
        } catch (error) {
          if (!needsProof(error) || !(await how.request())) throw error;
          return await write();
        } finally {
          end?.();
        }
      };
    },
  });
}

/** True if the service requires a recent proof of identity. */
const needsProof = (error: unknown) => codeOf(error) === 'proof_required';

/** True for a mutation that only reads, such as a preview. These pass a signal, so that they can be aborted. */
const isRead = ([, options]: readonly unknown[]) =>
  typeof options === 'object' && options !== null && 'signal' in options;
