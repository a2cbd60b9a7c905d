/** What is said of the newsletter and of leaving it, in all languages that sites speak. */
export const letters = {
  en: {
    leave: 'Every letter has a link to leave by. Your address is used for nothing else.',
    /** `{address}` becomes a link. */
    leaveOrWrite:
      'Every letter has a link to leave by, or write to {address}. Your address is used for nothing else.',
    leaveTitle: 'Leave the newsletter?',
    leaveLead: (site: string) => `You will get no more letters from ${site}.`,
    left: 'You are unsubscribed.',
    leftLead: (site: string) => `${site} sends you no more letters.`,
  },
  de: {
    leave: 'Jede Mail enthält einen Link zum Abbestellen. Deine Adresse wird für nichts anderes verwendet.',
    leaveOrWrite:
      'Zum Abbestellen genügt der Link in jeder Mail oder eine Nachricht an {address}. Deine Adresse wird für nichts anderes verwendet.',
    leaveTitle: 'Newsletter abbestellen?',
    leaveLead: (site) => `Du bekommst dann keine Mails mehr von ${site}.`,
    left: 'Der Newsletter ist abbestellt.',
    leftLead: (site) => `${site} schickt dir keine Mails mehr.`,
  },
  es: {
    leave: 'Cada envío lleva un enlace para darte de baja. Tu dirección no se usa para nada más.',
    leaveOrWrite:
      'Para darte de baja, usa el enlace de cualquier envío o escribe a {address}. Tu dirección no se usa para nada más.',
    leaveTitle: '¿Darte de baja del boletín?',
    leaveLead: (site) => `No recibirás más envíos de ${site}.`,
    left: 'Te has dado de baja.',
    leftLead: (site) => `${site} ya no te enviará más correos.`,
  },
  fr: {
    leave: 'Chaque envoi contient un lien pour vous désabonner. Votre adresse ne sert à rien d’autre.',
    leaveOrWrite:
      'Pour vous désabonner, suivez le lien de l’un des envois ou écrivez à {address}. Votre adresse ne sert à rien d’autre.',
    leaveTitle: 'Quitter la newsletter ?',
    leaveLead: (site) => `Vous ne recevrez plus d’envois de ${site}.`,
    left: 'Désabonnement confirmé.',
    leftLead: (site) => `${site} ne vous enverra plus rien.`,
  },
  it: {
    leave: 'Ogni e-mail contiene un link per disiscriverti. Il tuo indirizzo non serve ad altro.',
    leaveOrWrite:
      'Per disiscriverti, usa il link di una qualsiasi e-mail o scrivi a {address}. Il tuo indirizzo non serve ad altro.',
    leaveTitle: 'Lasciare la newsletter?',
    leaveLead: (site) => `Non riceverai più e-mail da ${site}.`,
    left: 'Disiscrizione completata.',
    leftLead: (site) => `${site} non ti invierà altre e-mail.`,
  },
  ja: {
    leave:
      '届いたメールのリンクから、いつでも配信を停止できます。メールアドレスをほかの目的に使うことはありません。',
    leaveOrWrite:
      '配信を停止するには、届いたメールのリンクを開くか、{address} までご連絡ください。メールアドレスをほかの目的に使うことはありません。',
    leaveTitle: '配信を停止しますか？',
    leaveLead: (site) => `${site} からのメールが届かなくなります。`,
    left: '配信を停止しました。',
    leftLead: (site) => `今後、${site} からメールをお送りすることはありません。`,
  },
  nl: {
    leave: 'Elke mail heeft een link om je af te melden. Je adres wordt nergens anders voor gebruikt.',
    leaveOrWrite:
      'Afmelden kan met de link in elke mail of door te schrijven naar {address}. Je adres wordt nergens anders voor gebruikt.',
    leaveTitle: 'Afmelden voor de nieuwsbrief?',
    leaveLead: (site) => `Je krijgt dan geen mails meer van ${site}.`,
    left: 'Je bent afgemeld.',
    leftLead: (site) => `${site} stuurt je geen mails meer.`,
  },
  pt: {
    leave: 'Cada envio tem um link para sair. O seu endereço não é usado para mais nada.',
    leaveOrWrite:
      'Para sair, use o link de qualquer envio ou escreva para {address}. O seu endereço não é usado para mais nada.',
    leaveTitle: 'Sair da newsletter?',
    leaveLead: (site) => `Você não receberá mais envios de ${site}.`,
    left: 'A sua inscrição foi cancelada.',
    leftLead: (site) => `${site} não enviará mais nada para você.`,
  },
} satisfies Record<'en', object> & Record<string, Letters>;

interface Letters {
  leave: string;
  leaveOrWrite: string;
  leaveTitle: string;
  leaveLead: (site: string) => string;
  left: string;
  leftLead: (site: string) => string;
}
