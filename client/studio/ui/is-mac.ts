/** Whether keys are Command rather than Control. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
