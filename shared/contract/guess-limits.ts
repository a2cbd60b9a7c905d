/**
 * Tries to sign in, and codes to sign in with, besides the strict tier: so many in any so many minutes, of one person, of
 * all together, of a browser that the person signed in with before, or of one who is signed in, or gave the right password. Tries that succeed don't count.
 * Besides them mails that ask whether somebody wants the newsletter, to one address, or of one site. `…_everywhere` is of one mailbox
 * over all sites, which strangers could fill otherwise by as many as there are. Then invitations, of one site and
 * to one address; mailings that a site tries out; clients that an address registers; and tokens that one connected assistant asks for.
 */
export const guessLimits = {
  guesses_person: { most: 10, minutes: 15 },
  guesses_all: { most: 300, minutes: 1 },
  guesses_browser: { most: 10, minutes: 15 },
  guesses_inside: { most: 10, minutes: 15 },
  codes_mailbox: { most: 20, minutes: 1_440 },
  codes_everywhere: { most: 40, minutes: 1_440 },
  codes_browser: { most: 10, minutes: 15 },
  confirmations_pause: { most: 1, minutes: 10 },
  confirmations_mailbox: { most: 3, minutes: 1_440 },
  confirmations_everywhere: { most: 10, minutes: 1_440 },
  confirmations_site: { most: 60, minutes: 60 },
  invitations_site: { most: 60, minutes: 60 },
  invitations_mailbox: { most: 5, minutes: 1_440 },
  mailing_tests: { most: 10, minutes: 60 },
  registrations: { most: 20, minutes: 60 },
  assistant_tokens: { most: 60, minutes: 1 },
} as const satisfies Record<string, { most: number; minutes: number }>;
