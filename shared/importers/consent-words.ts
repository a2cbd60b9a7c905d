/**
 * Words by which lists state who may get mail: names of columns, and their values. All have the form of `columnName`:
 * lower case, without accents, with blanks between words.
 */

/** Returns the set of names in a text that are separated by commas and whitespace. */
export const namesIn = (text: string): ReadonlySet<string> => new Set(text.trim().split(/,\s+/));

/** Known columns in which any value other than a no, a zero or an empty one means that this person gets no mail. */
export const optOutColumns = namesIn(`
  unsubscribed, unsubscribed at, unsubscribed on, unsubscribed date, unsubscribe date, unsub time, unsub date,
  unsub reason, unsub reason other, unsub campaign title, unsub campaign id, unsubscribe reason,
  unsubscription date, unsubscription reason, unsubscribed from all email, unsubscribed from all emails,
  globally unsubscribed, global unsubscribe, is unsubscribed, opted out, opted out at, opt out, optout,
  opt out date, email opt out, email optout, email opted out, has opted out of email, confirmed opt out date,
  confirmed opt out reason, confirmed opt out source, email disabled, deleted at, cleaned, cleaned at, clean time,
  clean campaign title, clean campaign id, bounced, bounced at, bounced date, is bounced, email bounced,
  email bounced date, email bounced reason, hard bounced, email hard bounce reason, undeliverability date,
  undeliverability reason, bounces, bounce count, bouncecount, bounced count, total bounces, hard bounces,
  hardbounces, hard bounce count, marketing emails bounced, complained, complained at, complaint, complaint date,
  complaints, complaint count, spam complaint, spam complaints, spam reports, marked as spam, blacklisted,
  is blacklisted, email blacklisted, blocklisted, is blocklisted, email blocklisted, suppressed, is suppressed,
  suppression reason, email suppressions, do not email, invalid email address, email address quarantined,
  email address quarantined reason, stop time
`);

/** Prefix of HubSpot's columns for the lists that a contact left. */
export const optOutPrefix = 'opted out of email';

/** Known columns in which a yes, a date, or a status that gets mail means that this person gets mail. */
export const optInColumns = namesIn(`
  subscribed, is subscribed, subscribed to emails, subscribed to newsletter, email subscribed, confirmed,
  confirmed at, confirm time, confirmation date, consent, email consent, marketing consent,
  email marketing consent, accepts marketing, accepts email marketing, opt in, optin, opted in, double opt in,
  email opt in, email optin, marketing opt in, newsletter opt in, newsletter consent
`);

export const statusColumns = namesIn(`
  status, global status, subscription status, subscriber status, email status, list status,
  email subscriber status, email marketing status, email subscription status, newsletter status,
  marketing contact status, opt in status, consent status
`);

/** Columns that are a status in some systems and something else in others. Only a value that means no mail counts. */
export const maybeStatusColumns = namesIn(`
  type, subscriber type, subscription type, member type, state, kind
`);

/** Columns whose names look like consent, but that do not decide who gets mail. */
export const neutralColumns = namesIn(`
  optin time, optin ip, opt in ip, confirm ip, confirmed ip, opted in at, opt in date, subscriber id,
  subscription id, subscriber since, subscribed on, subscription source, subscription source free,
  subscription source paid, subscription tier, subscription plan, subscription premium tier names,
  active subscription, subscription price, cancel date, churn date, digest enabled, activity, last activity,
  last activity date, last active, last active at, mailing address, mailing street, mailing city, mailing state,
  mailing zip, mailing country, mailing postal code, mailing zip postal code, mailing state province,
  became a subscriber date, lead status, order status, payment status, financial status, fulfillment status,
  marital status, employment status, tags, labels, notes, note, company, lifecycle stage
`);

export const neutralPattern = /^(?:num |total |unique )?emails? (?:received|opened|dropped|sent|clicked)\b/;

/** Other channels. Their consent does not matter here, unless the name also mentions mail. */
export const otherChannel =
  /\b(?:sms|mms|whatsapp|push|phone|telephone|telefon|mobile|fax|call|viber|telegram)\b/;
export const mailTerm = /mail|newsletter|メール|marketing/;

export const activeStatus = namesIn(`
  active, subscribed, confirmed, enabled, opted in, opt in, optin, marketing contact, email subscribed
`);

export const inactiveStatus = namesIn(`
  unsubscribed, unsubscribe, unsubscribed from all, globally unsubscribed, not subscribed, non subscribed,
  never subscribed, nonsubscribed, not opted in, opted out, opt out, optout, pending, unconfirmed, not confirmed,
  unverified, validating, unactivated, needs attention, inactive, disabled, blocked, blacklisted, blocklisted,
  suppressed, bounced, bounce, hard bounced, hard bounce, soft bounced, soft bounce, undeliverable, invalid,
  cleaned, complained, complaint, complainer, spam, spammy, spam complaint, marked as spam, abuse, junk, deleted,
  removed, archived, redacted, transactional, cancelled, canceled, stopped, quarantined, do not email, do not mail,
  do not contact, non marketing contact, email unsubscribed, email bounced
`);

export const yes = namesIn(`
  yes, y, true, t, 1, on, ja, j, oui, si, sim, はい
`);

export const no = namesIn(`
  no, n, false, f, 0, off, never, nein, non, nao, nee, いいえ
`);

/** Value of a cell that counts as empty, as databases and programs write it. */
export const nothing =
  /^(?:-+|\\n|null|nil|none|n\/?a|undefined|nan|\[\]|\{\}|0000-00-00(?:[t ]00:00:00)?)?$/i;

export const zero = /^0+(?:[.,]0+)?$/;

const list = (words: string) => words.trim().split(/\s+/).join('|');

/**
 * Terms about consent that count anywhere in a column's name, even within a word. Programs and compounding languages write
 * words together.
 */
const anywhere = list(`
  subscri unsub optin optout optedin optedout consent permission permit bounc complain spam suppress blacklist blocklist
  denylist donotmail donotemail donotcontact newsletter mailing undeliver deliverab mailable quarantin marketing gdpr rgpd
  dsgvo lgpd abonn abmeld abgemeld angemeld austrag ausgetrag eingetrag einwillig zustimm zugestimm einverst widerruf
  widerspr kundig abbestell sperr zustell rucklauf beschwerde werbung inaktiv zustand bestatig gultig geloscht datenschutz
  empfang erlaub genehmig zuruckgew
  desabonn inscri statut rebond plainte bloqu resili listenoire desactiv
  suscri autoriz autoris acept permis rebot queja estado listanegra rechaz boletin supres
  assinant descadastr aceit situac rejeit devolv
  iscri consens accett rimbalz stato rifiut listanera soppress
  afgemeld afmeld aangemeld aanmeld uitgeschrev ingeschrev inschrij uitschrij toestemm nieuwsbrief geblokk klacht
  prenumer samtyck samtykk avregistr avmeld avanmal frameld tilmeld pameld nyhetsbrev nyhedsbrev
  subskry wypis suostum uutiskirj souhlas odhlas prihlas hozzajarul leirat feliratk dezabon consimt abone
  status verif confirm activ aktiv aktyw aktif attiv enabl disabl inactif actif
  配信 購読 解除 同意 許可 承諾 承認 停止 退会 登録 ステータス 状態 状況 有効 無効 オプト バウンス エラー 拒否 苦情 迷惑 メルマガ
  ブラックリスト 除外 不達 受信 受取 受け取 希望 ブロック 可否 有無 送信 案内 メール可
  订阅 退订 訂閱 退訂 取消 许可 状态 狀態 退信 弹回 投诉 投訴 黑名单 黑名單 拒收 拒绝 有效 无效 激活 屏蔽 封锁 接收 营销
  구독 수신 동의 거부 해지 탈퇴 상태 반송 차단 신고 스팸 활성 허용 마케팅
  соглас подпис отпис статус отказ жалоб блокир актив рассыл подтверж недостав спам черныи згод
  اشتراك موافق حالة إلغاء محظور شكو מנוי הסכמ סטטוס הסר חסום συγκαταθ εγγραφ διαγραφ καταστασ
`);

const beginnings = list(`
  abus accept agree allow approv bann block cancel churn clean communicat complian declin delet dead deceas error exclu
  invalid junk lapsed left legal leav mute notif offers oppos opted paus prefer privacy reach receiv reject remov refus
  revok stop valid want withdr contactab
  abo austritt darf ausschl fehler kein lehnt mochte robinson werbe wunsch
  accord echec erreur etat indesir oppos recev recoi sollicit supprim
  alta anulad baja comunica devuel elimin fallid publicid recib situacion tratamient verific
  ativo erro inativo optou receb recus saiu
  annull blocc cancell esclus permess pubblicit reclam revoc ricev rimoss segnalaz trattament
  actief akkoord bevestig geweiger opgez
  aktywn potwierdz rezygn skarg zablok zgod
  bekraft klag reklam studs
  allapot durum engel iptal izin lupa odber onay panasz sikayet stare stav tilaus tiltott
`);

const whole = list('opt doi nl sub dnc dnm avg rodo casl ccpa lopd lssi npai bad');

/** Consent questions of forms. */
const phrases = [
  ...['don ?t', 'do not', 'no (?:more )?(?:e ?)?mails?', 'may we', 'can (?:we )?(?:e ?)?mail', 'ok to'],
  ...[
    'keep me',
    'send me',
    'stay in touch',
    'ne (?:pas|plus)',
    'pas de (?:mail|pub)',
    'nao (?:env|cont|rec|quer)',
  ],
  ...['no (?:enviar|molestar|contact|quiere|desea|recib)', 'non (?:contatt|invi|desid|vuol|ricev)'],
].join('|');

export const consentName = new RegExp(`(?:${anywhere})|\\b(?:${beginnings}|${phrases})|\\b(?:${whole})\\b`);

/** Values that look like a status of a person on a list, whatever the column is called. */
export const statusValue = new RegExp(
  `^(?:[\\p{L}\\p{N}]+ ){0,3}(?:${list(`
  unsub\\p{L}* subscribed nonsubscribed bounced? bounces (?:opt|opted)\\s?(?:in|out) complain\\p{L}* spam spammed spammy suppressed blacklisted
  blocklisted cleaned unconfirmed unverified undeliverable unreachable inactive active disabled pending blocked
  abgemeldet abbestellt angemeldet ausgetragen widerrufen gesperrt inaktiv aktiv unzustellbar zugestimmt eingewilligt
  abonniert abonne desabonne desinscrit inscrit actif inactif bloque rebond
  baja suscrito desuscrito cancelado activo inactivo rebotado rechazado bloqueado suscrita
  inscrito desinscrito descadastrado ativo inativo assinante subscrito bloqueado devolvido rejeitado
  iscritto disiscritto cancellato attivo inattivo disattivo bloccato rifiutato rimbalzato
  uitgeschreven ingeschreven afgemeld aangemeld actief inactief wypisany zapisany nieaktywny
  avregistrerad frameldt avmeldt отписан отписался подписан неактивен
`)})(?: .{0,20})?$|配信停止|配信中|配信可|配信不可|購読|解除|退会|不達|受信拒否|退订|退訂|订阅|訂閱|退信|구독|수신거부|수신동의`,
  'u',
);
