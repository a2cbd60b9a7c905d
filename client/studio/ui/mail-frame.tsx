import classes from './mail-frame.module.css';
import { nonce } from './nonce.ts';

interface MailFrameProps {
  title: string;
  html: string;
  /** On which screen it is shown. */
  form?: 'desk' | 'dark' | 'phone';
}

/** A mail as programs show it, in a frame where no script runs and whose links lead nowhere. Its pictures need the studio's origin. */
export const MailFrame = ({ title, html, form = 'desk' }: MailFrameProps) => (
  <iframe
    className={classes.frame}
    data-form={form}
    title={title}
    sandbox="allow-same-origin"
    srcDoc={mailPage(html, form === 'dark' ? 'dark' : 'light')}
  />
);

/** A tag with attributes as the service writes them, and one of these. */
const tag = /<[a-z][a-z0-9]*(?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*\s*\/?>/gi;
const attribute = /\s+([^\s"'<>/=]+)="([^"]*)"/g;

/** Files of the service's own, at whichever host of its a mail finds them. */
const ownFile = /^https?:\/\/[^/]+(?=\/media\/[a-z0-9]{15}\/)/;

/**
 * A mail as a page that can be shown within the studio, whose policy takes styles by nonce and pictures of its own host alone: styles
 * of elements become a sheet, those for dark screens count as they are asked for, and its links lead nowhere.
 */
function mailPage(html: string, scheme: 'light' | 'dark' = 'light'): string {
  const sheet: string[] = [];
  const page = html.replaceAll(tag, (element) =>
    element.replaceAll(attribute, (whole, name: string, value: string) => {
      if (name === 'src') return ` src="${value.replace(ownFile, '')}"`;
      if (name !== 'style' || /[&<]/.test(value)) return whole;
      sheet.push(`[data-style="${sheet.length}"]{${value}}`);
      return ` data-style="${sheet.length - 1}"`;
    }),
  );
  const head = `<head><base target="_blank"><style nonce="${nonce}">${sheet.join('\n')}</style>`;
  const media = scheme === 'dark' ? 'all' : 'not all';
  return page
    .replace('<head>', () => head)
    .replace('<style>@media (prefers-color-scheme:dark)', `<style nonce="${nonce}">@media ${media}`);
}
