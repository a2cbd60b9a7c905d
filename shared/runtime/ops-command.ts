/** Command line of operator commands in a checkout. */
export const opsCommandOfCheckout = 'npx -y pnpm ops';

/**
 * Returns the command line of an operator command, for messages. `rest` is the command with its arguments. The setting
 * OPS_COMMAND replaces the command of a checkout in containers, which have no pnpm.
 */
export const opsCommand = (rest?: string): string =>
  [process.env.OPS_COMMAND || opsCommandOfCheckout, rest].filter(Boolean).join(' ');
