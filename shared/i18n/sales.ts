/** Strings about sales in all site languages: emails to buyers, payments in progress, and memberships on the account page. */
export const saleWords = {
  en: {
    saleSubject: (site: string) => `Your purchase from ${site}`,
    membershipSubject: (site: string) => `Your membership of ${site}`,
    priceIs: (price: string) => `Price: ${price}`,
    howToSignIn: (email: string) => `Sign in with ${email}. There is no password: we email you a code.`,
    payingLead:
      'Your bank has not confirmed it yet. We email you when the payment arrives; you can close this page.',
    paymentAt: (host: string) => `The payment continues at ${host}.`,
    receipt: 'Receipt',
    freeUntil: (date: string) => `Free until ${date}`,
    renewsOn: (date: string) => `Renews on ${date}`,
    closedByRefund: 'Closed after a refund or dispute',
  },
  de: {
    saleSubject: (site) => `Dein Kauf bei ${site}`,
    membershipSubject: (site) => `Deine Mitgliedschaft bei ${site}`,
    priceIs: (price) => `Preis: ${price}`,
    howToSignIn: (email) =>
      `Melde dich mit ${email} an. Du brauchst kein Passwort: Wir schicken dir einen Code.`,
    payingLead:
      'Deine Bank hat die Zahlung noch nicht bestätigt. Sobald sie da ist, bekommst du eine Mail. Diese Seite kannst du schließen.',
    paymentAt: (host) => `Die Zahlung geht auf ${host} weiter.`,
    receipt: 'Beleg',
    freeUntil: (date) => `Kostenlos bis ${date}`,
    renewsOn: (date) => `Verlängert sich am ${date}`,
    closedByRefund: 'Nach Erstattung oder Anfechtung geschlossen',
  },
  es: {
    saleSubject: (site) => `Tu compra en ${site}`,
    membershipSubject: (site) => `Tu membresía de ${site}`,
    priceIs: (price) => `Precio: ${price}`,
    howToSignIn: (email) => `Inicia sesión con ${email}. No hay contraseña: te enviamos un código.`,
    payingLead:
      'Tu banco aún no ha confirmado el pago. Te avisaremos por correo cuando llegue; puedes cerrar esta página.',
    paymentAt: (host) => `El pago continúa en ${host}.`,
    receipt: 'Recibo',
    freeUntil: (date) => `Gratis hasta el ${date}`,
    renewsOn: (date) => `Se renueva el ${date}`,
    closedByRefund: 'Cerrada tras un reembolso o una disputa',
  },
  fr: {
    saleSubject: (site) => `Votre achat chez ${site}`,
    membershipSubject: (site) => `Votre abonnement à ${site}`,
    priceIs: (price) => `Prix : ${price}`,
    howToSignIn: (email) => `Connectez-vous avec ${email}. Pas de mot de passe : nous vous envoyons un code.`,
    payingLead:
      'Votre banque n’a pas encore confirmé le paiement. Vous recevrez un e-mail à son arrivée ; vous pouvez fermer cette page.',
    paymentAt: (host) => `Le paiement se poursuit sur ${host}.`,
    receipt: 'Reçu',
    freeUntil: (date) => `Gratuit jusqu’au ${date}`,
    renewsOn: (date) => `Renouvelé le ${date}`,
    closedByRefund: 'Fermé après un remboursement ou une contestation',
  },
  it: {
    saleSubject: (site) => `Il tuo acquisto da ${site}`,
    membershipSubject: (site) => `Il tuo abbonamento a ${site}`,
    priceIs: (price) => `Prezzo: ${price}`,
    howToSignIn: (email) => `Accedi con ${email}. Niente password: ti inviamo un codice.`,
    payingLead:
      'La tua banca non ha ancora confermato il pagamento. Ti scriveremo quando arriva; puoi chiudere questa pagina.',
    paymentAt: (host) => `Il pagamento continua su ${host}.`,
    receipt: 'Ricevuta',
    freeUntil: (date) => `Gratis fino al ${date}`,
    renewsOn: (date) => `Si rinnova il ${date}`,
    closedByRefund: 'Chiuso dopo un rimborso o una contestazione',
  },
  ja: {
    saleSubject: (site) => `${site} でのご購入`,
    membershipSubject: (site) => `${site} のメンバーシップ`,
    priceIs: (price) => `価格: ${price}`,
    howToSignIn: (email) =>
      `${email} でログインしてください。パスワードは不要です。コードをメールでお送りします。`,
    payingLead:
      '銀行からの確認を待っています。入金が確認できたらメールでお知らせします。このページは閉じてもかまいません。',
    paymentAt: (host) => `お支払いは ${host} で続きます。`,
    receipt: '領収書',
    freeUntil: (date) => `${date}まで無料`,
    renewsOn: (date) => `${date}に更新`,
    closedByRefund: '返金または異議申し立てにより停止中',
  },
  nl: {
    saleSubject: (site) => `Je aankoop bij ${site}`,
    membershipSubject: (site) => `Je lidmaatschap van ${site}`,
    priceIs: (price) => `Prijs: ${price}`,
    howToSignIn: (email) => `Log in met ${email}. Er is geen wachtwoord: we sturen je een code.`,
    payingLead:
      'Je bank heeft de betaling nog niet bevestigd. We mailen je zodra die binnen is; je kunt deze pagina sluiten.',
    paymentAt: (host) => `De betaling gaat verder op ${host}.`,
    receipt: 'Betalingsbewijs',
    freeUntil: (date) => `Gratis tot ${date}`,
    renewsOn: (date) => `Wordt verlengd op ${date}`,
    closedByRefund: 'Gesloten na een terugbetaling of betwisting',
  },
  pt: {
    saleSubject: (site) => `A sua compra em ${site}`,
    membershipSubject: (site) => `A sua assinatura de ${site}`,
    priceIs: (price) => `Preço: ${price}`,
    howToSignIn: (email) => `Entre com ${email}. Não há senha: enviamos um código.`,
    payingLead:
      'O seu banco ainda não confirmou o pagamento. Avisaremos por e-mail quando chegar; pode fechar esta página.',
    paymentAt: (host) => `O pagamento continua em ${host}.`,
    receipt: 'Recibo',
    freeUntil: (date) => `Grátis até ${date}`,
    renewsOn: (date) => `Renova em ${date}`,
    closedByRefund: 'Fechada após um reembolso ou uma contestação',
  },
} satisfies Record<'en', object> & Record<string, SaleWords>;

interface SaleWords {
  saleSubject: (site: string) => string;
  membershipSubject: (site: string) => string;
  priceIs: (price: string) => string;
  howToSignIn: (email: string) => string;
  /** Text of a payment that the bank has to confirm. */
  payingLead: string;
  paymentAt: (host: string) => string;
  receipt: string;
  /** State of a membership in its trial. */
  freeUntil: (date: string) => string;
  renewsOn: (date: string) => string;
  /** State of a membership whose last payment was refunded or disputed. */
  closedByRefund: string;
}
