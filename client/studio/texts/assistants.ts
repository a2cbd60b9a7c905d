/** Assistants. */
export const assistants = {
  assistants: {
    title: 'Assistants',
    lead: 'Assistants that speak MCP can read your content, and write it if their key says so.',
    allow: 'Assistants may connect',
    allowed: 'Each does only what its key allows.',
    refused: 'Every assistant is refused, whatever its key says.',
    switchedOn: 'Assistants may connect',
    switchedOff: 'All assistants are shut out',
    connect: 'Connect one',
    connectLead: 'Give your assistant this server. Without a key of its own the snippet has a place for one.',
    makeKey: 'Make a key for it',
    mayWrite: 'It may write too',
    keyName: 'Assistant',
    keyPlace: 'YOUR_API_KEY',
    keyIn: 'The new key stands in the snippet. Copy it now: it is shown only this once.',
    where: {
      json: 'For most clients, in their settings of MCP servers',
      commandLine: 'Once, in a terminal',
      file: (name: string) => `In ${name} of your project`,
    },
  },
} as const;
