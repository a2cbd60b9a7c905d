import type { Role } from '../../../shared/contract/roles.ts';

/** UI strings of staff and invitations. */
export const people = {
  people: {
    title: 'People',
    lead: 'People who work on this site, with their roles.',
    person: 'Person',
    role: 'Role',
    roles: {
      owner: 'Owner',
      editor: 'Editor',
      author: 'Author',
      support: 'Support',
    } satisfies Record<Role, string>,
    roleHelps: {
      owner: 'Full access, including people and settings',
      editor: 'Writes, publishes and mails all content',
      author: 'Writes drafts that others publish',
      support: 'Manages members, subscribers, purchases and testimonials',
    } satisfies Record<Role, string>,
    invited: 'Invited',
    until: (when: string) => `Can accept until ${when}`,
    you: 'You',
    add: 'Invite someone',
    inviteHelp: 'We email a link to this address. It works once, for seven days.',
    send: 'Send invitation',
    sent: (email: string) => `Invitation sent to ${email}`,
    changeRole: 'Change role',
    roleOf: (who: string) => `Role of ${who}`,
    changed: (who: string) => `Role of ${who} changed`,
    remove: 'Remove',
    removeOne: (who: string) => `Remove ${who}?`,
    removeLead: 'They lose access to this site immediately. Their texts stay.',
    removed: (who: string) => `${who} no longer works on this site`,
    takeBack: 'Withdraw',
    takeBackOne: (email: string) => `Withdraw the invitation of ${email}?`,
    takeBackLead: 'The emailed link will no longer work.',
    takenBack: (email: string) => `Invitation of ${email} withdrawn`,
    alone: 'You are the only person here',
  },
  sites: { label: 'Your sites' },
} as const;
