import { codeOf } from '../strings/errors.ts';
import { createStore } from '../ui/store.ts';

export type Proofs = ReturnType<typeof createProofs>;

/** Asks who is signed in to show once more that it is they; all that wait for it get the same answer. */
export function createProofs() {
  const { get, set, subscribe } = createStore<PromiseWithResolvers<boolean> | null>(null);
  return {
    /** The open question; null for none. */
    get,
    subscribe,
    /** Resolves to whether they have. */
    ask(): Promise<boolean> {
      const asked = get() ?? Promise.withResolvers<boolean>();
      if (asked !== get()) set(asked);
      return asked.promise;
    },
    settle(isGiven: boolean) {
      get()?.resolve(isGiven);
      set(null);
    },
  };
}

interface Proving extends Pick<Proofs, 'ask'> {
  /** Called when a write begins; what it gives, when it has ended, also without an answer: it may have been done. */
  beginWrite(): () => void;
}

/**
 * The same client, whose writes wait for a proof where they are refused without one, and are made then: whoever asked for
 * them never learns of it, unless none was given.
 */
export function provingClient<Client extends object>(client: Client, how: Proving): Client {
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
          if (!needsProof(error) || !(await how.ask())) throw error;
          return await write();
        } finally {
          end?.();
        }
      };
    },
  });
}

/** Whether a write was refused because who is signed in has to show first that it is still they. */
const needsProof = (error: unknown) => codeOf(error) === 'proof_required';

/** What is only shown, though it is asked for by a call that could write, is called off where nobody looks at it any more. */
const isRead = ([, options]: readonly unknown[]) =>
  typeof options === 'object' && options !== null && 'signal' in options;
