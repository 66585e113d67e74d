/* The page that lets a player in. The key stands behind the # of the link, which no browser sends to a server. */

if (location.hash.length > 1) {
  (document.getElementById("key") as HTMLInputElement).value = location.hash.slice(1);
  (document.getElementById("from") as HTMLInputElement).value = "link"; // the server asks whose link it is
  history.replaceState(null, "", location.pathname);
  (document.getElementById("in") as HTMLFormElement).submit();
}
