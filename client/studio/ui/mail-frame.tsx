import classes from './mail-frame.module.css';
import { nonce } from './nonce.ts';

interface MailFrameProps {
  title: string;
  html: string;
  /** Screen to simulate. */
  form?: 'desk' | 'dark' | 'phone';
}

/**
 * Email as mail programs show it. The frame runs no scripts and does not follow links. Its images need the studio's origin.
 */
export const MailFrame = ({ title, html, form = 'desk' }: MailFrameProps) => (
  <iframe
    className={classes.frame}
    data-form={form}
    title={title}
    sandbox="allow-same-origin"
    srcDoc={mailPage(html, form === 'dark' ? 'dark' : 'light')}
  />
);

/** A tag in the form that the service writes, and one of its attributes. */
const tag = /<[a-z][a-z0-9]*(?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*\s*\/?>/gi;
const attribute = /\s+([^\s"'<>/=]+)="([^"]*)"/g;

/** Origin in the URL of a media file, which may be any host of the service. */
const ownFile = /^https?:\/\/[^/]+(?=\/media\/[a-z0-9]{15}\/)/;

/**
 * Converts an email into a page that the studio's content security policy allows. Style attributes become a style sheet with
 * a nonce, and media files load from the studio's host. The media query for dark screens follows `scheme`.
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
