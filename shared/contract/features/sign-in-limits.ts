/** Assistants that people connect (docs/contract.md#assistants-that-sign-in). */
export const signIn = {
  /** Until somebody has said what an assistant may. */
  requestMinutes: 10,
  codeSeconds: 60,
  accessSeconds: 3_600,
  /** Since it was last used. */
  refreshDays: 30,
  /** How long a refresh token that was replaced still gives the one that replaced it: processes of one client race. */
  successorMinutes: 10,
  /** Of a site: registered clients that nobody has allowed anything, and how long they are kept. */
  unusedClients: 200,
  unusedClientHours: 24,
  /** That one person has connected to one site: the one that was used longest ago makes room. */
  perPerson: 50,
  /** Of a client at once. */
  redirects: 20,
  /** Documents that clients say who they are by. */
  document: {
    mostBytes: 64 * 1024,
    keptMs: { least: 300_000, most: 86_400_000, failure: 60_000 },
    atOnce: { inAll: 20, perSite: 4, waiting: 100, waitMs: 5_000 },
  },
} as const;
