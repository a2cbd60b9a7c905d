import type { Actor } from '../../shared/contract/history.ts';

/** Who runs a command: an account of the machine, since operators have none here. */
export function operatorOf(account: () => { username: string }): Actor {
  const name = nameOf(account);
  return { kind: 'operator', id: name, name };
}

/** In a container, the user may be a number without an account. */
function nameOf(account: () => { username: string }): string {
  try {
    return account().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
