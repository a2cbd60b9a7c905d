export { isForPeople, sendErrorPage } from './error-page.ts';
export { previewHome } from './preview.ts';
export { sendRedirect } from './redirect.ts';
export { serveSite } from './serve-site.ts';
export { stylesheetFor } from './style/stylesheet.ts';
