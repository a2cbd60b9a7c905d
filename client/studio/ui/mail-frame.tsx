import classes from './mail-frame.module.css';
import { mailPage } from './mail-page.ts';

interface MailFrameProps {
  title: string;
  html: string;
  /** On which screen it is shown. */
  form?: 'desk' | 'dark' | 'phone';
}

/** A mail as programs show it, in a frame where no script runs and whose links lead nowhere. */
export const MailFrame = ({ title, html, form = 'desk' }: MailFrameProps) => (
  <iframe
    className={classes.frame}
    data-form={form}
    title={title}
    sandbox=""
    srcDoc={mailPage(html, form === 'dark' ? 'dark' : 'light')}
  />
);
