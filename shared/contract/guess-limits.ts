/**
 * Bounds on tries to sign in, on codes to sign in with, and on clients of assistants. They count in addition to the strict
 * tier and are off while it is: `most` in any `minutes`, of one person, of all together, of a browser that the person
 * signed in with before (`…_browser`), or of a person who is signed in or gave the right password (`…_inside`). Tries that
 * succeed do not count. `…_everywhere` counts one mailbox over all sites.
 */
export const guessLimits = {
  guesses_person: { most: 10, minutes: 15 },
  guesses_all: { most: 300, minutes: 1 },
  guesses_browser: { most: 10, minutes: 15 },
  guesses_inside: { most: 10, minutes: 15 },
  codes_mailbox: { most: 20, minutes: 1_440 },
  codes_everywhere: { most: 40, minutes: 1_440 },
  codes_browser: { most: 10, minutes: 15 },
  registrations: { most: 20, minutes: 60 },
  assistant_tokens: { most: 60, minutes: 1 },
} as const satisfies Record<string, Size>;

/**
 * Bounds on email that a site sends on request: confirmations of newsletters, invitations and test emails, of one site
 * and to one mailbox. No setting changes them: they protect mailboxes of others and the reputation of the mail server.
 */
export const mailLimits = {
  confirmations_pause: { most: 1, minutes: 10 },
  confirmations_mailbox: { most: 3, minutes: 1_440 },
  confirmations_everywhere: { most: 10, minutes: 1_440 },
  confirmations_site: { most: 60, minutes: 60 },
  invitations_site: { most: 60, minutes: 60 },
  invitations_mailbox: { most: 5, minutes: 1_440 },
  mailing_tests: { most: 10, minutes: 60 },
} as const satisfies Record<string, Size>;

interface Size {
  most: number;
  minutes: number;
}
