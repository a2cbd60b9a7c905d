import classes from './mail-frame.module.css';
import { nonce } from './nonce.ts';

/** A mail as programs show it, in a frame where no script runs and whose links lead nowhere. */
export const MailFrame = ({ title, html }: { title: string; html: string }) => (
  <iframe className={classes.frame} title={title} sandbox="" srcDoc={withStyles(html)} />
);

/**
 * Elements of a mail have styles, as no stylesheet is read everywhere. The policy of this page, which holds in the frame too,
 * wants a nonce with every style: so they become rules of one that has it.
 */
function withStyles(html: string): string {
  const named = html.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/ style="/i, ' data-style="'));
  const mail = new DOMParser().parseFromString(named, 'text/html');
  const styles = new Set([...mail.querySelectorAll<HTMLElement>('[data-style]')].map(styleOf));
  const sheet = mail.createElement('style');
  sheet.setAttribute('nonce', nonce);
  sheet.textContent = [...styles]
    .map((style) => `[data-style=${JSON.stringify(style)}]{${style}}`)
    .join('\n');
  mail.head.append(sheet);
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}

const styleOf = ({ dataset }: HTMLElement) => dataset.style ?? '';
