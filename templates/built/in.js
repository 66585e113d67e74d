"use strict";(()=>{location.hash.length>1&&(document.getElementById("key").value=location.hash.slice(1),history.replaceState(null,"",location.pathname),document.getElementById("in").submit());})();
