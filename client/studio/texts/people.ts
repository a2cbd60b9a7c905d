import type { Role } from '../../../shared/contract/roles.ts';

/** Who works on the site. */
export const people = {
  people: {
    title: 'People',
    lead: 'Who works on this site with you, and what each of them may do.',
    person: 'Person',
    role: 'Role',
    roles: {
      owner: 'Owner',
      editor: 'Editor',
      author: 'Author',
      support: 'Support',
    } satisfies Record<Role, string>,
    roleHelps: {
      owner: 'Does everything, people and settings included',
      editor: 'Writes and publishes all content, and mails it',
      author: 'Writes drafts, which others publish',
      support: 'Looks after members, subscribers, purchases and testimonials',
    } satisfies Record<Role, string>,
    invited: 'Invited',
    until: (when: string) => `Can accept until ${when}`,
    you: 'You',
    add: 'Invite somebody',
    inviteHelp: 'A link is mailed to this address. It works once, for seven days.',
    send: 'Send invitation',
    sent: (email: string) => `An invitation to ${email} is on its way`,
    changeRole: 'Change role',
    roleOf: (who: string) => `Role of ${who}`,
    changed: (who: string) => `${who} has another role from now on`,
    remove: 'Remove',
    removeOne: (who: string) => `Remove ${who}?`,
    removeLead: 'They are signed out of this site at once. What they wrote stays.',
    removed: (who: string) => `${who} no longer works on this site`,
    takeBack: 'Take back',
    takeBackOne: (email: string) => `Take the invitation of ${email} back?`,
    takeBackLead: 'The link that was mailed will no longer work.',
    takenBack: (email: string) => `${email} can no longer accept`,
    alone: 'Nobody but you works here',
  },
  sites: { label: 'Your sites' },
} as const;
