/** What `/studio` shows until the panel has been built: it asks again by itself. */
export const waitingPage = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="1">
<link rel="icon" href="data:,">
<title>Studio</title>
<style nonce="${nonce}">
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; font: 15px/1.6 system-ui, sans-serif; text-align: center; color: light-dark(#54555f, #b6b8c0); background: light-dark(#fafafb, #121317) }
h1 { margin: 0 0 .25em; font-size: 18px; font-weight: 600; color: light-dark(#1c1d22, #fff) }
p { margin: 0 }
code { font-size: 13px }
</style>
</head>
<body>
<main>
<h1>Your studio is being built</h1>
<p>This takes a few seconds, and only after an update. The page opens it by itself.</p>
<p>If it stays: <code>npx -y pnpm build:studio</code></p>
</main>
</body>
</html>
`;
