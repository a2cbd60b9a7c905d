/** Newsletter strings in all site languages: subscribing, confirming and unsubscribing. */
export const newsletterWords = {
  en: {
    unsubscribeNote: 'You can unsubscribe with a link in every email. Your address is used for nothing else.',
    /** `{address}` becomes a link. */
    unsubscribeOrWrite:
      'You can unsubscribe with a link in every email, or write to {address}. Your address is used for nothing else.',
    confirmationSent: 'We have emailed you a link. Open it to confirm your subscription.',
    confirmTitle: 'Subscribe to the newsletter?',
    confirmLead: (site: string) => `You subscribed to ${site}. Confirm to receive the next newsletter.`,
    confirmSubject: (site: string) => `Confirm your subscription to ${site}`,
    confirmMail: (site: string, link: string, days: number) =>
      `Someone, probably you, subscribed to ${site} with this address. Confirm within ${days} days:\n\n${link}\n\nIf it was not you, ignore this message: you will receive no newsletter.\n`,
    unsubscribeTitle: 'Unsubscribe from the newsletter?',
    unsubscribeLead: (site: string) => `You will receive no more newsletters from ${site}.`,
    unsubscribed: 'You are unsubscribed.',
    unsubscribedLead: (site: string) => `${site} will send you no more newsletters.`,
    newsletterComes: 'You receive the newsletter at this address.',
    newsletterStays: 'You don’t receive the newsletter.',
    newsletterComplained: 'You reported the newsletter as spam, so it is not sent to you again.',
  },
  de: {
    unsubscribeNote:
      'Jede Mail enthält einen Link zum Abbestellen. Deine Adresse wird für nichts anderes verwendet.',
    unsubscribeOrWrite:
      'Zum Abbestellen genügt der Link in jeder Mail oder eine Nachricht an {address}. Deine Adresse wird für nichts anderes verwendet.',
    confirmationSent:
      'Eine Mail mit einem Link ist unterwegs. Sobald du dort bestätigt hast, stehst du auf der Liste.',
    confirmTitle: 'Newsletter abonnieren?',
    confirmLead: (site) => `Du hast ${site} abonniert. Bestätige es, und die nächste Ausgabe kommt zu dir.`,
    confirmSubject: (site) => `Bestätige dein Abo von ${site}`,
    confirmMail: (site, link, days) =>
      `Jemand, wahrscheinlich du, hat ${site} mit dieser Adresse abonniert. Bestätige es innerhalb von ${days} Tagen:\n\n${link}\n\nWarst du es nicht, dann ignoriere diese Nachricht: Du bekommst keine Mails.\n`,
    unsubscribeTitle: 'Newsletter abbestellen?',
    unsubscribeLead: (site) => `Du bekommst dann keine Mails mehr von ${site}.`,
    unsubscribed: 'Der Newsletter ist abbestellt.',
    unsubscribedLead: (site) => `${site} schickt dir keine Mails mehr.`,
    newsletterComes: 'Der Newsletter kommt an diese Adresse.',
    newsletterStays: 'Du bekommst den Newsletter nicht.',
    newsletterComplained:
      'Du hast den Newsletter als unerwünscht gemeldet, deshalb kommt er nicht mehr zu dir.',
  },
  es: {
    unsubscribeNote: 'Cada envío lleva un enlace para darte de baja. Tu dirección no se usa para nada más.',
    unsubscribeOrWrite:
      'Para darte de baja, usa el enlace de cualquier envío o escribe a {address}. Tu dirección no se usa para nada más.',
    confirmationSent:
      'Te hemos enviado un correo con un enlace. En cuanto lo confirmes, estarás en la lista.',
    confirmTitle: '¿Suscribirte al boletín?',
    confirmLead: (site) => `Te has suscrito a ${site}. Confírmalo y recibirás el próximo envío.`,
    confirmSubject: (site) => `Confirma tu suscripción a ${site}`,
    confirmMail: (site, link, days) =>
      `Alguien, seguramente tú, ha suscrito esta dirección a ${site}. Confírmalo en un plazo de ${days} días:\n\n${link}\n\nSi no has sido tú, ignora este mensaje: no recibirás ningún envío.\n`,
    unsubscribeTitle: '¿Darte de baja del boletín?',
    unsubscribeLead: (site) => `No recibirás más envíos de ${site}.`,
    unsubscribed: 'Te has dado de baja.',
    unsubscribedLead: (site) => `${site} ya no te enviará más correos.`,
    newsletterComes: 'Recibes el boletín en esta dirección.',
    newsletterStays: 'No recibes el boletín.',
    newsletterComplained: 'Marcaste el boletín como no deseado, así que no volvemos a enviártelo.',
  },
  fr: {
    unsubscribeNote:
      'Chaque envoi contient un lien pour vous désabonner. Votre adresse ne sert à rien d’autre.',
    unsubscribeOrWrite:
      'Pour vous désabonner, suivez le lien de l’un des envois ou écrivez à {address}. Votre adresse ne sert à rien d’autre.',
    confirmationSent:
      'Un e-mail avec un lien est en route. Dès que vous aurez confirmé, vous serez sur la liste.',
    confirmTitle: 'S’abonner à la newsletter ?',
    confirmLead: (site) => `Vous vous êtes inscrit à ${site}. Confirmez, et vous recevrez le prochain envoi.`,
    confirmSubject: (site) => `Confirmez votre inscription à ${site}`,
    confirmMail: (site, link, days) =>
      `Quelqu’un, sans doute vous, a inscrit cette adresse à ${site}. Confirmez dans les ${days} jours :\n\n${link}\n\nSi ce n’était pas vous, ignorez ce message : vous ne recevrez rien.\n`,
    unsubscribeTitle: 'Quitter la newsletter ?',
    unsubscribeLead: (site) => `Vous ne recevrez plus d’envois de ${site}.`,
    unsubscribed: 'Désabonnement confirmé.',
    unsubscribedLead: (site) => `${site} ne vous enverra plus rien.`,
    newsletterComes: 'Vous recevez la newsletter à cette adresse.',
    newsletterStays: 'Vous ne recevez pas la newsletter.',
    newsletterComplained:
      'Vous avez signalé la newsletter comme indésirable : elle ne vous est plus envoyée.',
  },
  it: {
    unsubscribeNote: 'Ogni e-mail contiene un link per disiscriverti. Il tuo indirizzo non serve ad altro.',
    unsubscribeOrWrite:
      'Per disiscriverti, usa il link di una qualsiasi e-mail o scrivi a {address}. Il tuo indirizzo non serve ad altro.',
    confirmationSent: 'Ti abbiamo inviato un’e-mail con un link. Dopo la conferma sarai nella lista.',
    confirmTitle: 'Iscriverti alla newsletter?',
    confirmLead: (site) => `Hai chiesto di iscriverti a ${site}. Conferma e riceverai la prossima e-mail.`,
    confirmSubject: (site) => `Conferma la tua iscrizione a ${site}`,
    confirmMail: (site, link, days) =>
      `Qualcuno, probabilmente tu, ha iscritto questo indirizzo a ${site}. Conferma entro ${days} giorni:\n\n${link}\n\nSe non sei stato tu, ignora questo messaggio: non riceverai nulla.\n`,
    unsubscribeTitle: 'Lasciare la newsletter?',
    unsubscribeLead: (site) => `Non riceverai più e-mail da ${site}.`,
    unsubscribed: 'Disiscrizione completata.',
    unsubscribedLead: (site) => `${site} non ti invierà altre e-mail.`,
    newsletterComes: 'Ricevi la newsletter a questo indirizzo.',
    newsletterStays: 'Non ricevi la newsletter.',
    newsletterComplained: 'Hai segnalato la newsletter come indesiderata, quindi non ti viene più inviata.',
  },
  ja: {
    unsubscribeNote:
      '届いたメールのリンクから、いつでも配信を停止できます。メールアドレスをほかの目的に使うことはありません。',
    unsubscribeOrWrite:
      '配信を停止するには、届いたメールのリンクを開くか、{address} までご連絡ください。メールアドレスをほかの目的に使うことはありません。',
    confirmationSent: 'リンクを記載したメールをお送りしました。リンク先で確認すると、登録が完了します。',
    confirmTitle: '配信に登録しますか？',
    confirmLead: (site) =>
      `${site} の配信への登録を受け付けました。確認していただくと、次号からお届けします。`,
    confirmSubject: (site) => `${site} の配信登録の確認`,
    confirmMail: (site, link, days) =>
      `このメールアドレスで ${site} の配信への登録がありました。${days} 日以内に次のリンクから確認してください。\n\n${link}\n\nお心当たりがない場合は、このメールを無視してください。配信は行われません。\n`,
    unsubscribeTitle: '配信を停止しますか？',
    unsubscribeLead: (site) => `${site} からのメールが届かなくなります。`,
    unsubscribed: '配信を停止しました。',
    unsubscribedLead: (site) => `今後、${site} からメールをお送りすることはありません。`,
    newsletterComes: 'このメールアドレスにニュースレターをお届けしています。',
    newsletterStays: 'ニュースレターはお届けしていません。',
    newsletterComplained: 'ニュースレターを迷惑メールとして報告されたため、今後お送りすることはありません。',
  },
  nl: {
    unsubscribeNote:
      'Elke mail heeft een link om je af te melden. Je adres wordt nergens anders voor gebruikt.',
    unsubscribeOrWrite:
      'Afmelden kan met de link in elke mail of door te schrijven naar {address}. Je adres wordt nergens anders voor gebruikt.',
    confirmationSent:
      'Er is een mail met een link onderweg. Zodra je daar hebt bevestigd, sta je op de lijst.',
    confirmTitle: 'Abonneren op de nieuwsbrief?',
    confirmLead: (site) => `Je hebt je op ${site} geabonneerd. Bevestig het, dan krijg je de volgende mail.`,
    confirmSubject: (site) => `Bevestig je abonnement op ${site}`,
    confirmMail: (site, link, days) =>
      `Iemand, waarschijnlijk jij, heeft zich met dit adres op ${site} geabonneerd. Bevestig het binnen ${days} dagen:\n\n${link}\n\nWas jij het niet, negeer dit bericht dan: je krijgt geen mails.\n`,
    unsubscribeTitle: 'Afmelden voor de nieuwsbrief?',
    unsubscribeLead: (site) => `Je krijgt dan geen mails meer van ${site}.`,
    unsubscribed: 'Je bent afgemeld.',
    unsubscribedLead: (site) => `${site} stuurt je geen mails meer.`,
    newsletterComes: 'Je krijgt de nieuwsbrief op dit adres.',
    newsletterStays: 'Je krijgt de nieuwsbrief niet.',
    newsletterComplained: 'Je hebt de nieuwsbrief als ongewenst gemeld, dus die wordt je niet meer gestuurd.',
  },
  pt: {
    unsubscribeNote: 'Cada envio tem um link para sair. O seu endereço não é usado para mais nada.',
    unsubscribeOrWrite:
      'Para sair, use o link de qualquer envio ou escreva para {address}. O seu endereço não é usado para mais nada.',
    confirmationSent: 'Um e-mail com um link está a caminho. Assim que você confirmar, estará na lista.',
    confirmTitle: 'Assinar a newsletter?',
    confirmLead: (site) => `Você se inscreveu em ${site}. Confirme, e o próximo envio chega até você.`,
    confirmSubject: (site) => `Confirme a sua inscrição em ${site}`,
    confirmMail: (site, link, days) =>
      `Alguém, provavelmente você, inscreveu este endereço em ${site}. Confirme em até ${days} dias:\n\n${link}\n\nSe não foi você, ignore esta mensagem: você não receberá nada.\n`,
    unsubscribeTitle: 'Sair da newsletter?',
    unsubscribeLead: (site) => `Você não receberá mais envios de ${site}.`,
    unsubscribed: 'A sua inscrição foi cancelada.',
    unsubscribedLead: (site) => `${site} não enviará mais nada para você.`,
    newsletterComes: 'Você recebe a newsletter neste endereço.',
    newsletterStays: 'Você não recebe a newsletter.',
    newsletterComplained: 'Você marcou a newsletter como indesejada, por isso ela não é mais enviada a você.',
  },
} satisfies Record<'en', object> & Record<string, NewsletterStrings>;

interface NewsletterStrings {
  unsubscribeNote: string;
  unsubscribeOrWrite: string;
  /** Page after the form if an email was sent. */
  confirmationSent: string;
  confirmTitle: string;
  confirmLead: (site: string) => string;
  confirmSubject: (site: string) => string;
  confirmMail: (site: string, link: string, days: number) => string;
  unsubscribeTitle: string;
  unsubscribeLead: (site: string) => string;
  unsubscribed: string;
  unsubscribedLead: (site: string) => string;
  newsletterComes: string;
  newsletterStays: string;
  newsletterComplained: string;
}
