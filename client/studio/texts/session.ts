/** Signing in and out. */
export const session = {
  session: {
    title: 'Sign in to your studio',
    lead: 'Write, publish and look after your site.',
    again: 'Your session has ended',
    againLead: 'Nothing you typed is lost. Sign in to go on where you were.',
    email: 'E-mail',
    password: 'Password',
    showPassword: 'Show the password',
    signIn: 'Sign in',
    signOut: 'Sign out',
    otherOwner: 'Sign in as somebody else',
    wrong: 'That e-mail address and password don’t belong together.',
    forgotten: 'Forgotten? Whoever runs the service can set a new one: pnpm ops owner password',
  },
} as const;
